import {
  actorOf,
  type Division,
  decideDivisionCreation,
  decideDivisionDeletion,
  decideDivisionUpdate,
  OPERATOR,
} from '@chapter/domain/ports';
import { aDivision, aGuest, aLeader } from '@chapter/domain/testing';
import { expect } from 'chai';
import { refusal } from '../use-cases/setup.ts';

describe('A write of a division', () => {
  const { divisionId: _, ...division } = aDivision().with({ name: 'North', logo: 'https://example.org/' });
  const target = { targetType: 'division', targetId: division.id, divisionId: division.id };
  const leader = aLeader().of(division);
  const locked = { actor: actorOf(leader), division };

  it('creates it, and records its values', () => {
    const { revision: __, ...fields } = division;
    expect(decideDivisionCreation(fields)).to.deep.equal({
      kind: 'create',
      division: { ...fields, revision: '' },
      audit: {
        action: 'createDivision',
        ...target,
        changes: { name: { old: null, new: 'North' }, logo: { old: null, new: 'https://example.org/' } },
      },
    });
  });

  it('changes fields except the id, and records old and new values', () => {
    const values: Partial<Division> = { id: aDivision().id, name: 'South', logo: null };
    expect(decideDivisionUpdate(OPERATOR, locked, { values })).to.deep.equal({
      kind: 'change',
      division: { ...division, name: 'South', logo: null },
      audit: {
        action: 'updateDivision',
        ...target,
        changes: { name: { old: 'North', new: 'South' }, logo: { old: 'https://example.org/', new: null } },
      },
    });
  });

  it('is none if every value is as stored', () => {
    expect(decideDivisionUpdate(OPERATOR, locked, { values: { ...division } })).to.equal('unchanged');
  });

  it('by a caller is decided by their rights as locked, then by the revision', async () => {
    const values = { name: 'South' };
    const changed = decideDivisionUpdate(OPERATOR, locked, { values });
    const caller = locked.actor;
    expect(decideDivisionUpdate(caller, locked, { values })).to.deep.equal(changed);
    expect(decideDivisionUpdate(caller, locked, { values, revisions: [division.revision] })).to.deep.equal(changed);
    await refusal('precondition_failed', () => decideDivisionUpdate(caller, locked, { values, revisions: ['0'] }));
    const guest = { division, actor: actorOf(aGuest().of(division)) };
    await refusal('forbidden', () => decideDivisionUpdate(caller, guest, { values, revisions: ['0'] }));
    await refusal('invalid_token', () => decideDivisionUpdate(caller, { division, actor: null }, { values }));
    await refusal('forbidden', () => decideDivisionDeletion(caller, { ...locked, hasMembers: false }));
  });

  it('deletes it with all values recorded, but not while it has members', async () => {
    expect(decideDivisionDeletion(OPERATOR, { ...locked, hasMembers: false })).to.deep.equal({
      kind: 'delete',
      division,
      audit: {
        action: 'deleteDivision',
        ...target,
        changes: { name: { old: 'North', new: null }, logo: { old: 'https://example.org/', new: null } },
      },
    });
    await refusal('forbidden', () => decideDivisionDeletion(OPERATOR, { ...locked, hasMembers: true }));
  });
});
