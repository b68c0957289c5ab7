import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileErrorReason, OperatorError } from '../errors/operator-error.ts';
import { readRecords } from './read-records.ts';

const CHUNK_BYTES = { min: 16_384, max: 262_144 };

/** Minimum number of chunks of a large file, so that the progress bar moves by at most 2 %. */
const MIN_CHUNKS = 50;

const identify = async (handle: FileHandle): Promise<string> => {
  const { mtimeNs, size } = await handle.stat({ bigint: true });
  return `${mtimeNs} ${size}`;
};

/**
 * Opens a file of comma-separated values, which is read more than once and must not change in between.
 *
 * @throws OperatorError if it cannot be read, is not a regular file, or is empty.
 */
export const openCsv = async (path: string) => {
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
      /** The file name without the directory, for messages. */
      name,
      /** Size in bytes. */
      size: stats.size,
      /** Reads all records, including the header. `progress` receives the number of bytes read so far. */
      records: (progress: (bytes: number) => void) =>
        readRecords(name, handle.createReadStream({ start: 0, autoClose: false, highWaterMark }), progress),
      /** @throws OperatorError if the file has changed since it was opened. */
      assertUnchanged: async (): Promise<void> => {
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

/** An open CSV file. */
export type CsvFile = Awaited<ReturnType<typeof openCsv>>;
