// Prints the source lines and files of each part of the repository beside its budget, and of each folder of the product.
import { linesIn, PARTS, sourceFiles } from '../test-support/source-lines.ts';

const row = (name: string, lines: number, files: number, budget = ''): string =>
  `${name.padEnd(42)}${String(lines).padStart(8)} lines${String(files).padStart(6)} files${budget}`;

/** Returns `packages/app/src/cli` for `packages/app/src/cli/users/create.ts`. */
const folderOf = (file: string): string => file.split('/').slice(0, -1).slice(0, 4).join('/');

for (const { name, folders, without, maxLines, maxFiles } of PARTS) {
  const files = sourceFiles(folders, without);
  const budget = `   at most ${maxLines} lines${maxFiles === undefined ? '' : ` in ${maxFiles} files`}`;
  console.log(row(name, linesIn(files), files.length, budget));
  if (maxFiles === undefined) continue;
  for (const [folder, inFolder] of Map.groupBy(files.toSorted(), folderOf)) {
    console.log(row(`  ${folder}`, linesIn(inFolder), inFolder.length));
  }
}
