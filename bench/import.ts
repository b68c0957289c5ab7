// Imports members from a file as an operator does, and writes what that took into docs/import.md. The first argument is
// how many members, else a million; DATABASE_URL names an empty database, else an embedded one is started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { whenAndWhere } from './circumstances.ts';
import { table } from './report/table.ts';
import { writeBetween } from './report/write-between.ts';

const members = Number(process.argv[2] ?? 1_000_000);
const division = '0190a000-0000-7000-8000-0000000000a0';
const count = (value: number): string => Math.round(value).toLocaleString('en');
const chapter = 'packages/app/src/cli/main.ts';

function* lines(): Generator<string> {
  yield 'username,division_id,email,first_name,last_name,groups,birthdate\n';
  for (let at = 0; at < members; at++) {
    const day = new Date(Date.UTC(1940, 0, 1 + ((at * 7919) % 25_000))).toISOString().slice(0, 10);
    yield `member${at},${division},member${at}@example.org,First${at % 9973},Last${at % 99_991},User,${day}\n`;
  }
}

/** Runs the command line, and watches the most memory that its process has had (`VmHWM`, in MiB). */
const run = async (args: readonly string[], url: string) => {
  const began = performance.now();
  const env = { ...process.env, DATABASE_URL: url, MIGRATE_ON_START: 'true' };
  const child = spawn(process.execPath, [chapter, ...args], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  let peak = 0;
  const watch = setInterval(() => {
    try {
      const [, kibibytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      peak = Math.max(peak, Number(kibibytes) / 1024);
    } catch {
      // It has ended.
    }
  }, 100);
  const [status] = (await once(child, 'exit')) as [number | null];
  clearInterval(watch);
  if (status !== 0) throw new Error(`chapter ${args[0]} ended with status ${status}`);
  return { seconds: (performance.now() - began) / 1000, peak };
};

const folder = await mkdtemp(join(tmpdir(), 'chapter-import-'));
const server = process.env['DATABASE_URL'] === undefined ? await startEmbedded() : undefined;
const url = process.env['DATABASE_URL'] ?? server?.url ?? '';
try {
  const circumstances = whenAndWhere('command and database', [await versionOf(url)]);
  const path = join(folder, 'users.csv');
  const divisions = join(folder, 'divisions.csv');
  writeFileSync(divisions, `id,name\n${division},North\n`);
  await pipeline(Readable.from(lines(), { highWaterMark: 1000 }), createWriteStream(path));
  const megabytes = (await stat(path)).size / 1e6;
  const loaded = await run(['import', '--divisions', divisions, '--users', path], url);
  const exported = await run(['export', '--users', join(folder, 'export.csv')], url);
  const row = (name: string, { peak, seconds }: { readonly peak: number; readonly seconds: number }) => [
    name,
    seconds.toFixed(1),
    count(members / seconds),
    peak.toFixed(0),
  ];
  const result = [
    ...circumstances.map((line) => `- ${line}`),
    `- ${count(members)} members (${megabytes.toFixed(0)} MB, no passwords) into an empty database that does not wait for the disk`,
    '',
    table(
      ['command', 'seconds', 'members a second', 'most memory of the process, MiB'],
      [row('`import`', loaded), row('`export`', exported)],
    ),
  ].join('\n');
  console.log(result);
  if (members >= 1_000_000) writeBetween('docs/import.md', 'npm run bench:import', result);
} finally {
  await server?.stop();
  await rm(folder, { recursive: true });
}
