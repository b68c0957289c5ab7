import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { type CsvRecord, readRecords } from './read-records.ts';

/** A file that is read more than once, and is to be the same each time. */
export interface CsvFile {
  /** What the operator calls it, without the folder. */
  readonly name: string;
  /** Its size in bytes. */
  readonly size: number;
  /** Its records from the first, the header included. `progress` is told how many bytes have been read. */
  readonly records: (progress: (bytes: number) => void) => AsyncGenerator<CsvRecord>;
  /** @throws OperatorError where the file has been changed since it was opened. */
  readonly assertUnchanged: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Bounds of the bytes that are read at once. */
const CHUNK_BYTES = { min: 16_384, max: 262_144 };

/** Chunks in which a large file is read at least, so that the progress that an operator sees moves by at most 2 %. */
const MIN_CHUNKS = 50;

const identify = async (handle: FileHandle): Promise<string> => {
  const { mtimeNs, size } = await handle.stat({ bigint: true });
  return `${mtimeNs} ${size}`;
};

/**
 * Opens a file of comma-separated values.
 *
 * @throws OperatorError where it cannot be read, is no plain file, or is empty.
 */
export const openCsv = async (path: string): Promise<CsvFile> => {
  const name = basename(path);
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw new OperatorError(`${path} cannot be read: ${fileErrorReason(error)}.`, error);
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new OperatorError(`${path} cannot be read: it is a directory.`);
    if (!stats.isFile()) {
      throw new OperatorError(
        `${path} is read more than once, so it must be a file; write to one first, then import that.`,
      );
    }
    if (stats.size === 0) {
      throw new OperatorError(`${name} is empty; its first line must be the names of the columns.`);
    }
    const opened = await identify(handle);
    const highWaterMark = Math.min(CHUNK_BYTES.max, Math.max(CHUNK_BYTES.min, Math.floor(stats.size / MIN_CHUNKS)));
    return {
      name,
      size: stats.size,
      records: (progress) =>
        readRecords(name, handle.createReadStream({ start: 0, autoClose: false, highWaterMark }), progress),
      assertUnchanged: async () => {
        if ((await identify(handle)) !== opened) {
          throw new OperatorError(`${name} was changed while it was imported; try again once nobody writes to it.`);
        }
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
};
