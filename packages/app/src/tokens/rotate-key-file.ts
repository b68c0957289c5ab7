import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { makeTemporaryPath } from '../files/temporary-path.ts';
import { type Algorithm, KeySetError, parseKeySet, storedKeys } from './key-set.ts';
import { generateKey, keySetText, rotated } from './make-keys.ts';

/** The keys of a file after a rotation, by their `kid`. */
export interface RotatedKeys {
  /** The key that signs new tokens. */
  readonly signs: string;
  /** The older keys, which only verify. */
  readonly check: readonly string[];
}

/**
 * Replaces a file atomically and keeps its owner and mode. Throws EEXIST during another replacement.
 */
const replaceFile = (file: string, text: string): void => {
  const { gid, mode, uid } = statSync(file);
  const next = `${file}.new`;
  const output = openSync(next, 'wx', 0o600);
  using temporary = makeTemporaryPath(file, next);
  try {
    writeSync(output, text);
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
    const fresh = generateKey(alg ?? parseKeySet(text)[0].alg);
    const next = keySetText(rotated(storedKeys(text), fresh, Math.floor(Date.now() / 1000)));
    const [{ kid }, ...others] = parseKeySet(next);
    replaceFile(file, next);
    return { signs: kid, check: others.map((key) => key.kid) };
  } catch (error) {
    if (error instanceof KeySetError)
      throw new OperatorError(`Cannot read signing keys from ${path}: ${error.message}.`);
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST' && 'path' in error) {
      throw new OperatorError(
        `Another rotation is running or was interrupted; if none is running, delete ${String(error.path)}.`,
      );
    }
    throw new OperatorError(`Cannot replace the signing keys in ${path}: ${fileErrorReason(error)}.`, error);
  }
};
