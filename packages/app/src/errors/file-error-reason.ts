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
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return FILE_ERROR_REASONS[code] ?? (code || 'unknown error');
};
