/**
 * An error that the operator can fix, described in one sentence. The command line writes it to standard error without a
 * stack trace and exits with status 1.
 */
export class OperatorError extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.name = 'OperatorError';
  }
}

/** Returns the code of an error of Node.js or of the driver, such as `ENOENT`; empty if it has none. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

const FILE_ERROR_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'a file with that name exists',
  EISDIR: 'it is a directory',
  ENOENT: 'no such file or directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a directory',
  ENOTEMPTY: 'it contains other files',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** Returns why a file could not be read or written, for the operator. */
export const fileErrorReason = (error: unknown): string => {
  const code = codeOf(error);
  return FILE_ERROR_REASONS[code] ?? (code || 'unknown error');
};
