import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { ensureFile } from '../files/aside.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { type KeySet, KeySetError, parseKeySet } from './key-set.ts';
import { generateKey, keySetText } from './make-keys.ts';

/** Milliseconds after which a file is looked at again. */
const RECHECK_INTERVAL_MS = 1000;

/** The signing keys of a file that may be replaced while it is in use. */
export interface KeyFile {
  /** The keys as they were at most a second ago; the same object until they change. */
  readonly current: () => KeySet;
  /** The keys as they are now: for a token with a key that is not known yet. */
  readonly latest: () => KeySet;
}

/** Why there are no keys in a file, as a part of a sentence; undefined where there are some. */
export const keyFileFault = (file: string): string | undefined => {
  try {
    parseKeySet(readFileSync(file, 'utf8'));
    return undefined;
  } catch (error) {
    return error instanceof KeySetError ? error.message : fileErrorReason(error);
  }
};

/**
 * Reads the private JWK set in a file (RFC 7517, section 5), and reads it again when the file changes. If the new content
 * has no valid keys, the previous keys stay in use and `report` is called once with the reason.
 *
 * @throws OperatorError if the file has no valid keys now.
 */
export const openKeyFile = (file: string, report: (sentence: string) => void = () => {}): KeyFile => {
  const fault = keyFileFault(file);
  if (fault) throw new OperatorError(`There are no signing keys in ${file}: ${fault}.`);
  const stamp = (): string => {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${size}`;
  };
  let seen = stamp();
  let keys = parseKeySet(readFileSync(file, 'utf8'));
  let checkedAt = performance.now();
  let reported = '';

  const reload = (): void => {
    try {
      const found = stamp();
      if (found === seen) return;
      keys = parseKeySet(readFileSync(file, 'utf8'));
      seen = found;
      reported = '';
    } catch (error) {
      const why = error instanceof KeySetError ? error.message : fileErrorReason(error);
      if (why !== reported) report(`The signing keys in ${file} stay what they were: ${why}.`);
      reported = why;
    }
  };
  const latest = (): KeySet => {
    checkedAt = performance.now();
    reload();
    return keys;
  };
  return { latest, current: () => (performance.now() - checkedAt < RECHECK_INTERVAL_MS ? keys : latest()) };
};

/**
 * Creates a key file with one Ed25519 key, and its directory, unless the file exists. Several processes that do so at
 * once get the same key.
 *
 * @throws OperatorError if the file cannot be written.
 */
export const ensureKeyFile = (file: string): void => {
  if (existsSync(file)) return;
  try {
    makeDirectory(dirname(file));
    ensureFile(file, () => keySetText([generateKey('EdDSA')]));
  } catch (error) {
    throw new OperatorError(`The signing keys cannot be kept in ${file}: ${fileErrorReason(error)}.`, error);
  }
};
