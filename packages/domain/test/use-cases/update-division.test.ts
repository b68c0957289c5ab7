import { expect } from 'chai';
import { acting, faultsOf, makeChapter, refusal } from './setup.ts';

describe('updateDivision', () => {
  it('reports faults, a taken name, and a change since the caller read the division', async () => {
    const { useCases, lead, north } = await makeChapter();
    const update = (fields: Record<string, unknown>, revisions?: string[]) =>
      useCases.updateDivision(acting(lead), north.id, () => ({ fields, revisions }));
    const refused = await refusal('validation_failed', () => update({ name: null, id: 'x', logo: 'ftp://x' }));
    expect(faultsOf(refused)).to.deep.equal(['name invalid_type', 'id read_only', 'logo invalid_format']);
    await refusal('name_taken', () => update({ name: 'SOUTH' }));
    await refusal('precondition_failed', () => update({ name: 'West' }, []));
    expect(await update({ name: 'West' }, [north.revision])).to.include({ name: 'West' });
  });
});
