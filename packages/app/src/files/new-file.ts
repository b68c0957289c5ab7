import { randomUUID } from 'node:crypto';
import { lstat, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { type Aside, makeAside } from './aside.ts';

/** A file that is not there under its name before all of it is written, and that only its owner can read. */
export interface NewFile {
  readonly write: (bytes: Readable) => Promise<void>;
  /** Gives it its name. @throws OperatorError where somebody else has made such a file meanwhile. */
  readonly keep: () => Promise<void>;
  /** Leaves nothing of it, unless it was kept. */
  readonly discard: () => Promise<void>;
}

const cannotWrite = (path: string, error: unknown): OperatorError =>
  new OperatorError(`${path} cannot be written: ${fileErrorReason(error)}.`, error);

const taken = (path: string): OperatorError =>
  new OperatorError(`${path} is there already; choose another name, or overwrite it with --force.`);

const refuseWhatIsThere = async (path: string, force: boolean): Promise<void> => {
  const there = await lstat(path).catch(() => null);
  if (there && !force) throw taken(path);
  if (there && !there.isFile()) throw new OperatorError(`${path} cannot be overwritten: it is not a plain file.`);
};

const place = async (aside: Aside, path: string, force: boolean): Promise<void> => {
  if (!force) {
    try {
      return aside.create();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(path);
      // Some file systems have no hard links.
      await refuseWhatIsThere(path, force);
    }
  }
  aside.replace();
};

/**
 * Begins a file beside the place where it is to be.
 *
 * @throws OperatorError where it cannot be written, or something is there that is not to be overwritten.
 */
export const beginFile = async (path: string, force: boolean): Promise<NewFile> => {
  await refuseWhatIsThere(path, force);
  const aside = makeAside(path, join(dirname(path), `.${basename(path)}.${randomUUID()}`));
  const handle = await open(aside.path, 'wx', 0o600).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  // A signal ends the process before anything could be awaited.
  const removeAtExit = (): void => aside[Symbol.dispose]();
  process.once('exit', removeAtExit);
  return {
    write: async (bytes) => {
      try {
        await pipeline(bytes, handle.createWriteStream({ flush: true }));
      } catch (error) {
        throw (error as NodeJS.ErrnoException).syscall ? cannotWrite(path, error) : error;
      }
    },
    keep: () => place(aside, path, force),
    discard: async () => {
      await handle.close();
      aside[Symbol.dispose]();
      process.off('exit', removeAtExit);
    },
  };
};
