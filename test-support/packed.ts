import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages } from './pack-packages.ts';

let packed: Readonly<Record<string, string>> | undefined;

/** Returns the tarballs of all packages by folder name. They are built once per run and deleted at its end. */
export const packedPackages = (): Readonly<Record<string, string>> => {
  if (packed) return packed;
  const directory = mkdtempSync(join(tmpdir(), 'chapter-packed-'));
  process.once('exit', () => rmSync(directory, { recursive: true }));
  const folders = readdirSync('packages');
  const tarballs = packPackages(folders, directory);
  packed = Object.fromEntries(folders.map((folder, at) => [folder, tarballs[at] ?? '']));
  return packed;
};
