import { expect } from 'chai';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { connectClient } from '../../../../test-support/query.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { runCli } from '../../src/cli/run.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/serve/service.ts';
import { silentContext } from '../cli/call.ts';

const REPORT = 'Migration 0007-exchange-indexes waits for another transaction, such as an export, for up to 10 minutes';

type Run = (url: string, report: (text: string) => void) => Promise<unknown>;

/** Calls a command that writes to standard error only what it reports. */
const chapter =
  (args: string, ...owned: readonly string[]): Run =>
  (url, report) => {
    const urls = Object.fromEntries(['DATABASE_URL', ...owned].map((setting) => [setting, url]));
    const variables = { ...urls, MIGRATE_ON_START: 'true' };
    return runCli(args.split(' '), { ...silentContext, variables, writeError: report });
  };

describe('A migration that waits for an export', () => {
  const dataDir = makeFolder();
  const databases: TestDatabase[] = [];

  /** Starts the service, which migrates first, and stops it. */
  const serve: Run = async (url, report) => {
    const settings = { ...testSettings, DATABASE_URL: url, MIGRATE_ON_START: 'true', DATA_DIR: dataDir };
    const write = (line: string): void => {
      const { msg } = JSON.parse(line) as { msg: string };
      // The other lines warn of weak password hashes, and of a server in a container, which has no TLS.
      if (msg.startsWith('Migration')) report(msg);
    };
    const { stop } = await startService(readConfig(settings), pino({ level: 'warn' }, { write }));
    await stop();
  };
  const runs: readonly Run[] = [
    chapter('migrate'),
    chapter('migrate --to 0007-exchange-indexes'),
    chapter('divisions list'),
    chapter('divisions list', 'OWNER_DATABASE_URL'),
    chapter('audit prune --before 2020-01-01', 'OWNER_DATABASE_URL'),
    serve,
  ];

  before(async () => {
    const prepare = async (url: string): Promise<void> => {
      await chapter('migrate --to 0006-tables-and-next-indexes')(url, () => {});
    };
    for (const _ of runs) databases.push(await createTestDatabase(prepare));
  });
  after(async () => {
    for (const database of databases) await database.drop();
  });

  /** Reads users in a transaction until `run` reports. Returns all that it reports until it ends. */
  const reportsOf = async (run: Run, url = ''): Promise<readonly string[]> => {
    const reader = await connectClient(url, 'begin', 'select from user_account');
    const reports: string[] = [];
    let ended: Promise<void> | undefined;
    try {
      await run(url, (text) => {
        reports.push(text);
        ended ??= reader.end();
      });
    } finally {
      await (ended ?? reader.end());
    }
    return reports;
  };

  // All at the same time, because each takes one pause of a migration.
  it('is reported once, on standard error or in the log of a start', async () => {
    const reports = await Promise.all(runs.map((run, at) => reportsOf(run, databases[at]?.url)));
    const ofCommands = reports.slice(0, -1);
    expect(ofCommands).to.deep.equal(ofCommands.map(() => [`${REPORT}.\n`]));
    expect(reports.at(-1)).to.deep.equal([REPORT]);
  });
});
