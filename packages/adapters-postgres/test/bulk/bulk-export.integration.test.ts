import { text } from 'node:stream/consumers';
import { OPERATOR } from '@chapter/domain/ports';
import { aUser, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Sink } from '../../src/index.ts';
import { useWorld } from '../support/use-world.ts';

describe('A bulk export as the serving role', () => {
  const world = useWorld();
  const discard: Sink = async (bytes) => void (await text(bytes));
  const newest = async () => (await world().audit.list({ limit: 1 }))[0];

  it('records one entry of the operator before the first byte', async () => {
    await storeUser(world(), aUser());
    const recorded: unknown[] = [];
    const sink: Sink = async (bytes) => {
      recorded.push(await newest());
      await discard(bytes);
    };
    const counts = await world().database.exportInBulk(
      OPERATOR,
      { divisions: sink, users: sink },
      { withHashes: true },
    );
    expect(counts).to.deep.equal({ divisions: 1, users: 1 });
    const entry = await newest();
    expect(recorded).to.deep.equal([entry, entry]);
    expect(entry).to.deep.include({
      at: world().clock.now(),
      action: 'exportUsers',
      changes: { files: { old: null, new: ['divisions', 'users'] }, withHashes: { old: null, new: true } },
    });
    await world().database.exportInBulk(OPERATOR, { divisions: discard }, { withHashes: false });
    expect(await newest()).to.deep.include({
      action: 'exportDivisions',
      changes: { files: { old: null, new: ['divisions'] }, withHashes: { old: null, new: false } },
    });
  });

  it('writes nothing if it cannot be recorded', async () => {
    const failing = world().connect({ ids: { next: () => 'no id' } });
    let begins = false;
    const sink: Sink = async (bytes) => {
      begins = true;
      await discard(bytes);
    };
    const error = await failing
      .exportInBulk(OPERATOR, { users: sink }, { withHashes: false })
      .catch((caught) => caught);
    expect([error instanceof Error, begins]).to.deep.equal([true, false]);
  });
});
