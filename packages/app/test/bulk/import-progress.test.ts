import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkLoad } from '@chapter/adapters-postgres';
import { makeSequentialIds, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeImportFiles } from '../../src/bulk/import-files.ts';
import { openCsv } from '../../src/csv/csv-file.ts';

const consume = async (rows: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of rows);
};

/** A load that stores three rows and builds two indexes. */
const load: BulkLoad = {
  stageDivisions: consume,
  stageUsers: consume,
  stagePasswords: consume,
  match: async () => {},
  plannedNames: async () => new Map(),
  rejectUsers: async () => {},
  findings: async () => ({ conflicts: [], badLines: 0 }),
  plan: async () => ({
    divisions: { created: 3, changed: 0, unchanged: 0 },
    users: { created: 0, changed: 0, unchanged: 0 },
    leaderless: [],
    store: async (progress, indexes) => {
      progress(3);
      for (const built of [0, 1, 2]) indexes?.building(built, 2);
      indexes?.kept('locked');
      return { divisions: 3, users: 0 };
    },
  }),
};

describe('The progress of an import', () => {
  it('has a phase for checking, storing and building indexes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chapter-progress-'));
    await writeFile(join(folder, 'divisions.csv'), 'name\nNorth\nSouth\nEast\n');
    const divisions = await openCsv(join(folder, 'divisions.csv'));
    const reported: unknown[] = [];
    const importFiles = makeImportFiles({
      clock: makeSettableClock(),
      ids: makeSequentialIds(),
      commonPasswords: { has: () => false },
      passwordMinLength: 8,
      hasher: { hash: async () => '', verify: async () => false, isWeak: () => false, requireCapacity: () => {} },
      hashConcurrency: 1,
      hashing: () => {},
      keptIndexes: (reason) => reported.push(reason),
      loadInBulk: (_, work) => work(load),
      progress: {
        begin: (what, total) => reported.push([what, total]),
        to: (steps) => reported.push(steps),
        end: () => {},
      },
    });
    try {
      expect(await importFiles({ divisions })).to.deep.include({ divisions: { created: 3, changed: 0, unchanged: 0 } });
    } finally {
      await divisions.close();
      await rm(folder, { recursive: true });
    }
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
});
