import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { codeOf, fileErrorReason, OperatorError } from '../errors/operator-error.ts';
import { ensureFile, makeTemporaryPath } from '../files/new-file.ts';
import {
  type Algorithm,
  generateKey,
  KeySetError,
  keySetText,
  parseKeySet,
  type StoredJwk,
  storedKeys,
} from './key-set.ts';

/** Returns why the keys of a file cannot be read, as a part of a sentence. */
export const reasonOf = (error: unknown): string =>
  error instanceof KeySetError ? error.message : fileErrorReason(error);

/** Returns why a file has no valid keys, as a part of a sentence, or undefined if it has. */
export const keyFileFault = (file: string): string | undefined => {
  try {
    parseKeySet(readFileSync(file, 'utf8'));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
};

/** Returns when a file got its signing key, in ms since 1970: at the last rotation, else when it was written. */
export const signingSince = (file: string): number => {
  const retired = storedKeys(readFileSync(file, 'utf8')).map(({ retired_at = 0 }) => retired_at);
  return Math.max(...retired) * 1000 || statSync(file).mtimeMs;
};

/**
 * Creates a key file with one Ed25519 key, and its directory, unless the file exists. Concurrent processes get
 * the same key.
 *
 * @throws OperatorError if the file cannot be written.
 */
export const ensureKeyFile = (file: string): void => {
  if (existsSync(file)) return;
  try {
    ensureFile(file, () => keySetText([generateKey('EdDSA')]));
  } catch (error) {
    throw new OperatorError(`Cannot store the signing keys in ${file}: ${fileErrorReason(error)}.`, error);
  }
};

/** The maximum of `ACCESS_TOKEN_TTL` in seconds, for which a retired key still verifies tokens. Contract §9. */
export const MAX_ACCESS_TTL_SECONDS = 86_400;

/**
 * Returns the keys after a rotation at `now` (in seconds since 1970). The new key signs, and the older keys still
 * verify. Keys are removed when all tokens that they have signed are expired.
 */
export const rotated = (keys: readonly StoredJwk[], fresh: StoredJwk, now: number): readonly StoredJwk[] => [
  fresh,
  ...keys
    .map((key) => ({ retired_at: now, ...key }))
    .filter(({ retired_at }) => typeof retired_at !== 'number' || now - retired_at <= MAX_ACCESS_TTL_SECONDS),
];

/** The keys of a file after a rotation, by their `kid`. */
export interface RotatedKeys {
  /** The key that signs new tokens. */
  readonly signs: string;
  /** The older keys, which only verify. */
  readonly check: readonly string[];
}

/** Replaces a file atomically and keeps its owner and mode. Throws EEXIST during another replacement. */
const replaceFile = (file: string, text: string): void => {
  const { gid, mode, uid } = statSync(file);
  const next = `${file}.new`;
  const output = openSync(next, 'wx', 0o600);
  using temporary = makeTemporaryPath(file, next);
  try {
    writeFileSync(output, text);
    if (uid !== process.getuid?.() || gid !== process.getgid?.()) chownSync(next, uid, gid);
    fchmodSync(output, mode & 0o777);
    fsyncSync(output);
  } finally {
    closeSync(output);
  }
  temporary.replace();
};

/**
 * Adds a new signing key at the start of a file. Its algorithm is that of the current key unless `alg` names another.
 * Services that use the file still verify tokens of the older keys, so all sessions continue.
 *
 * @throws OperatorError if the file has no valid keys or cannot be replaced; it is then unchanged.
 */
export const rotateKeyFile = (path: string, alg?: Algorithm): RotatedKeys => {
  try {
    const file = realpathSync(path);
    const text = readFileSync(file, 'utf8');
    const [current] = parseKeySet(text);
    const fresh = generateKey(alg ?? current.alg);
    const next = keySetText(rotated(storedKeys(text), fresh, Math.floor(Date.now() / 1000)));
    const [{ kid }, ...others] = parseKeySet(next);
    replaceFile(file, next);
    return { signs: kid, check: others.map((key) => key.kid) };
  } catch (error) {
    if (error instanceof KeySetError)
      throw new OperatorError(`Cannot read signing keys from ${path}: ${error.message}.`);
    if (codeOf(error) === 'EEXIST' && error instanceof Error && 'path' in error) {
      throw new OperatorError(
        `Another rotation is running or was interrupted; if none is running, delete ${String(error.path)}.`,
      );
    }
    throw new OperatorError(`Cannot replace the signing keys in ${path}: ${fileErrorReason(error)}.`, error);
  }
};
