import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages } from './pack-packages.ts';

let packed: Readonly<Record<string, string>> | undefined;

/** The tarballs of all packages by the names of their folders: built once for a whole run, and gone after it. */
export const packedPackages = (): Readonly<Record<string, string>> => {
  if (packed) return packed;
  const directory = mkdtempSync(join(tmpdir(), 'chapter-packed-'));
  process.once('exit', () => rmSync(directory, { recursive: true }));
  const folders = readdirSync('packages');
  const tarballs = packPackages(folders, directory);
  packed = Object.fromEntries(folders.map((folder, at) => [folder, tarballs[at] ?? '']));
  return packed;
};
