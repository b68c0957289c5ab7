import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { ensureFile } from '../files/temporary-path.ts';
import { KeySetError, parseKeySet } from './key-set.ts';
import { generateKey, keySetText } from './make-keys.ts';

/** Returns why a file has no valid keys, as a part of a sentence, or undefined if it has. */
export const keyFileFault = (file: string): string | undefined => {
  try {
    parseKeySet(readFileSync(file, 'utf8'));
    return undefined;
  } catch (error) {
    return error instanceof KeySetError ? error.message : fileErrorReason(error);
  }
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
    makeDirectory(dirname(file));
    ensureFile(file, () => keySetText([generateKey('EdDSA')]));
  } catch (error) {
    throw new OperatorError(`Cannot store the signing keys in ${file}: ${fileErrorReason(error)}.`, error);
  }
};
