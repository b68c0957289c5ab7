// Imports members from a file as an operator does, changes every twentieth of them, then all, exports them, and writes the
// durations into docs/import.md. BENCH=short: few members, printed only.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { makeFolder } from '../test-support/folders.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { runChapter } from './processes.ts';
import { describeRun, list, publish, table } from './report/markdown.ts';
import { isShort } from './settings.ts';

const members = isShort() ? 1000 : 1_000_000;
const division = '0190a000-0000-7000-8000-0000000000a0';

function* lines(firstName: string, every = 1): Generator<string> {
  yield 'username,division_id,email,first_name,last_name,groups,birthdate\n';
  for (let at = 0; at < members; at++) {
    const day = new Date(Date.UTC(1940, 0, 1 + ((at * 7919) % 25_000))).toISOString().slice(0, 10);
    yield `member${at},${division},member${at}@example.org,${at % every === 0 ? firstName : 'First'}${at % 9973},Last${at % 99_991},User,${day}\n`;
  }
}

/** Runs a command of `chapter`, and returns its row of the report. */
const run = async (name: string, args: readonly string[], url: string, remark = ''): Promise<readonly string[]> => {
  const { memory, seconds } = await runChapter([...name.split(' '), ...args], url);
  const rate = Math.round(members / seconds).toLocaleString('en');
  return [`\`${name}\`${remark}`, seconds.toFixed(1), rate, memory.toFixed(0)];
};

await using stack = new AsyncDisposableStack();
const folder = makeFolder();
const { url, stop } = await startEmbedded();
stack.defer(stop);
const conditions = await describeRun('command and database', url);
const [path, divisions] = [join(folder, 'users.csv'), join(folder, 'divisions.csv')];
await writeFile(divisions, `id,name\n${division},North\n`);
const write = (...args: Parameters<typeof lines>) => writeFile(path, Readable.from(lines(...args)));
await write('First');
const size = `${members.toLocaleString('en')} members (${((await stat(path)).size / 1e6).toFixed(0)} MB, no passwords) into an empty database that does not wait for the disk`;
const rows = [
  await run('import', ['--divisions', divisions, '--users', path], url),
  await write('Some', 20).then(() => run('import --update', ['--users', path], url, ' of 5 %')),
  await write('Other').then(() => run('import --update', ['--users', path], url, ' of all')),
  await run('export', ['--users', join(folder, 'export.csv')], url),
];
const results = table('command | seconds | members per second | peak memory of the process, MiB', rows);
publish('docs/import.md', 'npm run bench:import', `${list([...conditions, size])}\n\n${results}`);
