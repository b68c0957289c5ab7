import { readdirSync } from 'node:fs';
import { makeFolder } from './folders.ts';
import { packPackages } from './pack-packages.ts';

let packed: Readonly<Record<string, string>> | undefined;

/** Returns the tarballs of all packages by folder name. They are built once per run and deleted at its end. */
export const packedPackages = (): Readonly<Record<string, string>> => {
  if (packed) return packed;
  const folders = readdirSync('packages');
  const tarballs = packPackages(folders, makeFolder());
  packed = Object.fromEntries(folders.map((folder, at) => [folder, tarballs[at] ?? '']));
  return packed;
};
