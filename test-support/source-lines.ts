import { globSync, readFileSync } from 'node:fs';

/** A part of the repository whose lines are counted together, and the most that it may have. */
export interface Part {
  readonly name: string;
  readonly folders: readonly string[];
  /** A folder that is counted in another part. */
  readonly without?: string;
  readonly maxLines: number;
  readonly maxFiles?: number;
}

const TESTING = 'packages/domain/src/testing';
const DRILLS = 'test-support/drills';

/** The parts of the repository with their budgets. A change that needs more lines removes others first. */
export const PARTS: readonly Part[] = [
  { name: 'product', folders: ['packages/*/src'], without: TESTING, maxLines: 29_374, maxFiles: 274 },
  { name: 'domain/src/testing', folders: [TESTING], maxLines: 6386 },
  {
    name: 'tests, test-support and scripts',
    folders: ['packages/*/test', 'test', 'test-support', 'scripts'],
    without: DRILLS,
    maxLines: 46_323,
  },
  { name: 'drills', folders: [DRILLS], maxLines: 1067 },
  { name: 'bench', folders: ['bench'], maxLines: 2340 },
];

/** Returns the number of lines of a file. */
const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1;

/** Returns the source files below folders. @throws Error for a folder without any, which was renamed. */
export const sourceFiles = (folders: readonly string[], without = ''): readonly string[] =>
  folders.flatMap((folder) => {
    const files = globSync(`${folder}/**/*.{ts,mts,cts,js,mjs,cjs,sh}`, { exclude: ['**/{node_modules,dist}/**'] });
    if (files.length === 0) throw new Error(`${folder} has no source files`);
    return without === '' ? files : files.filter((file) => !file.startsWith(`${without}/`));
  });

/** Returns the lines of all files together. */
export const linesIn = (files: readonly string[]): number => files.reduce((total, file) => total + linesOf(file), 0);
