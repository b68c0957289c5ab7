import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileErrorReason, OperatorError } from '../errors/operator-error.ts';
import { type CsvRecord, readRecords } from './read-records.ts';

/** A CSV file that is read more than once and must not change in between. */
export interface CsvFile {
  /** The file name without the directory, for messages. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** Reads all records, including the header. `progress` receives the number of bytes read so far. */
  readonly records: (progress: (bytes: number) => void) => AsyncGenerator<CsvRecord>;
  /** @throws OperatorError if the file has changed since it was opened. */
  readonly assertUnchanged: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Limits of the chunk size. */
const CHUNK_BYTES = { min: 16_384, max: 262_144 };

/** Minimum number of chunks of a large file, so that the progress bar moves by at most 2 %. */
const MIN_CHUNKS = 50;

const identify = async (handle: FileHandle): Promise<string> => {
  const { mtimeNs, size } = await handle.stat({ bigint: true });
  return `${mtimeNs} ${size}`;
};

/**
 * Opens a file of comma-separated values.
 *
 * @throws OperatorError if it cannot be read, is not a regular file, or is empty.
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
        `${path} is not a regular file, and the import reads it more than once; save the data to a file first.`,
      );
    }
    if (stats.size === 0) {
      throw new OperatorError(`${name} is empty; its first line must contain the column names.`);
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
          throw new OperatorError(`${name} changed during the import; try again when no other program writes to it.`);
        }
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
};
