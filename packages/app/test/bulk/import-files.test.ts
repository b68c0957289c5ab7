import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BulkLoad, BulkPassword } from '@chapter/adapters-postgres';
import { givenPassword } from '@chapter/domain/api';
import { makeFakePasswordHasher, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { makeImportFiles } from '../../src/bulk/import-files.ts';
import { type CsvFile, openCsv } from '../../src/csv/csv-file.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';

const consume = async (rows: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of rows);
};

/** A load that stores three rows and builds two indexes. */
const load: BulkLoad = {
  stageDivisions: consume,
  stageUsers: consume,
  stagePasswords: consume,
  divisionNames: async () => [],
  match: async () => {},
  plannedNames: async () => new Map(),
  rejectUsers: async () => {},
  findings: async () => ({ conflicts: [], badLines: 0 }),
  deactivateMissing: async () => {},
  readMissing: async () => {},
  plan: async () => ({
    divisions: { created: 3, changed: 0, unchanged: 0 },
    users: { created: 0, changed: 0, unchanged: 0 },
    leaderless: [],
    missing: null,
    store: async (progress, indexes) => {
      progress(3);
      for (const built of [0, 1, 2]) indexes?.building(built, 2);
      indexes?.kept('locked');
      return { divisions: 3, users: 0 };
    },
  }),
};

const DIVISIONS = 'name\nNorth\nSouth\nEast\n';
const USERS = 'username,division_id,password\nada,0190a000-0000-7000-8000-0000000000a0,';

describe('An import', () => {
  const hasher = makeFakePasswordHasher();
  const folder = makeFolder();
  let opened: CsvFile[] = [];
  let reported: unknown[] = [];

  const file = async (name: string, text: string): Promise<CsvFile> => {
    await writeFile(join(folder, name), text);
    const csv = await openCsv(join(folder, name));
    opened.push(csv);
    return csv;
  };
  const makeImport = (changes: Partial<BulkLoad> = {}) =>
    makeImportFiles({
      clock: makeSettableClock(),
      commonPasswords: { has: () => false },
      passwordMinLength: 8,
      hasher,
      hashConcurrency: 1,
      hashing: () => {},
      keptIndexes: (reason) => reported.push(reason),
      loadInBulk: (_, work) => work({ ...load, ...changes }),
      progress: {
        begin: (what, total) => reported.push([what, total]),
        to: (steps) => reported.push(steps),
        end: () => {},
      },
    });

  beforeEach(() => {
    [opened, reported] = [[], []];
  });
  afterEach(() => Promise.all(opened.map((csv) => csv.close())));

  it('reports the progress of checking, storing and building indexes', async () => {
    const divisions = await file('divisions.csv', DIVISIONS);
    expect(await makeImport()({ divisions })).to.deep.include({ divisions: { created: 3, changed: 0, unchanged: 0 } });
    const checked = ['Checking divisions.csv', divisions.size];
    expect(reported).to.deep.equal([
      checked,
      divisions.size,
      ['Storing', 3],
      3,
      ['Building indexes', 2],
      0,
      1,
      2,
      'locked',
    ]);
  });

  it('hashes a password in the form in which a login verifies it', async () => {
    const staged: BulkPassword[] = [];
    const importFiles = makeImport({
      stagePasswords: async (passwords) => void staged.push(...(await Array.fromAsync(passwords))),
    });
    await importFiles({ users: await file('users.csv', `${USERS}Zoe\u0308's \uff30assword\n`) });
    const matches = (typed: string) => hasher.verify(givenPassword(typed) ?? '', staged[0]?.passwordHash ?? null);
    expect(await matches("Zoe\u0308's \uff30assword")).to.equal(true);
    expect(await matches("Zo\u00eb's Password")).to.equal(true);
    expect(await matches("Zoe's Password")).to.equal(false);
  });

  it('reads both files before it compares rows with stored ones, which locks tables', async () => {
    const calls: string[] = [];
    const importFiles = makeImport({
      stageUsers: async (rows) => consume(rows).then(() => void calls.push('stage users')),
      match: async (kind) => void calls.push(`match ${kind}`),
      findings: async (kind) => {
        calls.push(`findings ${kind}`);
        return { conflicts: [], badLines: 0 };
      },
    });
    const files = { divisions: await file('divisions.csv', DIVISIONS), users: await file('users.csv', `${USERS}\n`) };
    await importFiles(files, { update: true });
    const compared = ['match divisions', 'findings divisions', 'match users', 'findings users'];
    expect(calls).to.deep.equal(['stage users', ...compared]);
  });

  for (const name of ['divisions.csv', 'users.csv']) {
    it(`stores nothing if ${name} has changed since it was checked`, async () => {
      let isStored = false;
      const importFiles = makeImport({
        plan: async () => {
          await appendFile(join(folder, name), '\n');
          const store = async () => {
            isStored = true;
            return { divisions: 3, users: 1 };
          };
          return { ...(await load.plan()), store };
        },
      });
      const files = { divisions: await file('divisions.csv', DIVISIONS), users: await file('users.csv', `${USERS}\n`) };
      const error: unknown = await importFiles(files).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(OperatorError);
      expect(String(error)).to.include(`${name} changed during the import`);
      expect(isStored).to.equal(false);
    });
  }
});
