import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Makes a temporary folder, which is removed when this process ends. Returns its path. */
export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'chapter-'));
  folders.push(folder);
  return folder;
};
