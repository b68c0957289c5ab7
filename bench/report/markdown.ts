import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { versionOf } from '../../test-support/postgres/version.ts';
import { isComplete } from '../settings.ts';

const NUMBER = /^(?:-?\d|[≥≤<–])/;

/** Formats a table in Markdown with aligned columns; columns of numbers are aligned to the right. ` | ` separates the heads. */
export const table = (heads: string, rows: readonly (readonly string[])[]): string => {
  const columns = heads.split(' | ').map((head, at) => {
    const cells = rows.map((row) => row[at] ?? '');
    const width = Math.max(3, ...[head, ...cells].map(({ length }) => length));
    return { head, width, isRight: cells.every((cell) => NUMBER.test(cell) || cell === '') };
  });
  const line = (cellOf: (column: (typeof columns)[number], at: number) => string): string =>
    `| ${columns.map((column, at) => cellOf(column, at)[column.isRight ? 'padStart' : 'padEnd'](column.width)).join(' | ')} |`;
  const rule = line(({ width, isRight }) => (isRight ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(({ head }) => head), rule, ...rows.map((row) => line((_, at) => row[at] ?? ''))].join('\n');
};

export const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

/** Formats whether a goal is reached, with a miss in bold. */
export const verdict = (isReached: boolean): string => (isReached ? 'yes' : '**no**');

/** Describes time, commit, machine and versions. `programs` share the machine. Call it at the start of the run. */
export const describeRun = async (programs: string, databaseUrl: string): Promise<readonly string[]> => {
  const { stdout: commit } = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' });
  return [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commit.trim()}`,
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}; load average at the start ${loadavg()[0]?.toFixed(1)}; ${programs} share the machine`,
    `Node.js ${process.versions.node}, ${await versionOf(databaseUrl)}`,
  ];
};

/**
 * Prints results. If no variable changes what is measured, also writes them into a document, between `<!-- command -->` and the
 * next `<!-- end -->`.
 *
 * @throws Error if the document has no such comments.
 */
export const publish = (document: string, command: string, text: string): void => {
  console.log(text);
  if (!isComplete()) return;
  const before = readFileSync(document, 'utf8');
  const marker = `<!-- ${command} -->`;
  const begin = before.indexOf(marker);
  const end = before.indexOf('\n<!-- end -->', begin);
  if (begin < 0 || end < 0) throw new Error(`${document} has no place for the results of ${command}`);
  writeFileSync(document, `${before.slice(0, begin)}${marker}\n\n${text}\n${before.slice(end)}`);
};
