const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'there is a file of that name',
  EISDIR: 'it is a directory',
  ENOENT: 'there is no such file or directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a directory',
  ENOTEMPTY: 'there are other files in it',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** Why a file could not be read or written, in words for the operator. */
export const fileErrorReason = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return words[code] ?? (code || 'for an unknown reason');
};
