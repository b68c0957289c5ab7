// What `npm run pack:packages` runs: builds the packages and writes a tarball of each to dist/. Arguments select
// packages by folder: `npm run pack:packages -- domain`.
import { mkdirSync, readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { packPackages } from '../test-support/pack-packages.ts';

const folders = readdirSync('packages');
const named = process.argv.slice(2);
const unknown = named.filter((name) => !folders.includes(name));

if (unknown.length > 0) {
  console.error(`no package is named ${unknown.join(', ')}; the packages are ${folders.join(', ')}`);
  process.exitCode = 2;
} else {
  const destination = resolve('dist');
  mkdirSync(destination, { recursive: true });
  for (const tarball of packPackages(named.length > 0 ? named : folders, destination)) {
    console.log(relative('.', tarball));
  }
}
