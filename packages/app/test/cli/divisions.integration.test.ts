import { expect } from 'chai';
import { migrated, useOperator } from './operator.ts';

describe('chapter divisions', () => {
  const { chapter, fault, json } = useOperator(migrated);

  it('creates divisions and lists them by name', async () => {
    const south = await json('divisions create --name South');
    const north = await json(
      'divisions create --name North --logo https://example.org/n.png --fanpage https://example.org',
    );
    expect(south).to.deep.equal({ id: south['id'], name: 'South', logo: null, fanpage: null });
    expect(await json('divisions list')).to.deep.equal([north, south]);
    const { out } = await chapter('divisions list');
    expect(out.split('\n')[0]).to.match(/^ID +NAME +LOGO +FANPAGE$/);
    expect(out.split('\n')[2]).to.equal(`${String(south['id'])}  South  –                          –`);
  });

  it('reports the faults of a division', async () => {
    expect(await fault('divisions create --name NORTH')).to.equal('This name is taken.\n');
    const faults = await fault(`divisions create --name ${'x'.repeat(151)} --logo javascript:x`);
    expect(faults.split('\n')).to.deep.equal([
      '--name must have at most 150 characters.',
      '--logo must be an http or https URL.',
      '',
    ]);
  });
});
