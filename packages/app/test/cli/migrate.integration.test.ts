import { expect } from 'chai';
import { useOperator } from './operator.ts';

describe('chapter migrate', () => {
  const { chapter, fault, json } = useOperator();

  it('brings the schema up to date and shows its state', async () => {
    const before = await json('migrate --status');
    expect(before).to.deep.include({ state: 'older', applied: [] });
    expect((await chapter('migrate')).out).to.match(/^Migrations run:\n {2}0001-/);
    expect((await chapter('migrate')).out).to.equal('Nothing to do.\n');
    expect(await json('migrate --status')).to.deep.equal({ state: 'current', applied: before['pending'], pending: [] });
    expect((await chapter('migrate --status')).out).to.match(
      /^The schema is current\.\n\nApplied:\n {2}0001-[^]*\nPending:\n {2}none\n$/,
    );
  });

  it('migrates down and up again, and suggests the name of a migration', async () => {
    const { applied } = await json<{ applied: string[] }>('migrate --status');
    const first = applied[0] ?? '';
    expect((await json(`migrate --to ${first}`))['applied']).to.deep.equal([first]);
    expect(await fault(`migrate --to ${first.replace('0001', '0010')}`)).to.include(`did you mean ${first}?`);
    await json('migrate');
  });

  it('makes other commands fail with one sentence while the schema is older', async () => {
    const { applied } = await json<{ applied: string[] }>('migrate --status');
    await json(`migrate --to ${applied[0]}`);
    expect(await fault('divisions list')).to.match(/schema is older than this program .*chapter migrate.*\n$/);
  });
});
