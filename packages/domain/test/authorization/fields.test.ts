import {
  checkFields,
  explain,
  type FieldTarget,
  fieldRights,
  forbiddenFields,
  USER_READ_ONLY,
  userChangeChecks,
} from '@chapter/domain';
import { expect } from 'chai';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import type { Standing } from '../../../../test-support/authorization/oracle.ts';
import {
  actorWithStanding,
  flagPairs,
  OTHER,
  OWN,
  standings,
  targetOf,
} from '../../../../test-support/authorization/states.ts';

/**
 * The table of field rights of contract §3 in another form. Columns: the user themself, a Leader of the division, a Leader
 * who is an Administrator. W: may write, F: forbidden, R: read-only. `password!` is that of an Administrator, `division!`
 * another division than the user's.
 */
const rights = `
                 self  Leader  LeaderAndAdministrator
username         W     W       W
email            W     W       W
firstName        W     W       W
lastName         W     W       W
birthdate        W     W       W
password         W     W       W
password!        W     F       W
currentPassword  W     W       W
groups           F     W       W
isActive         F     W       W
division         W     W       W
division!        F     F       F
id               R     R       R
dateJoined       R     R       R
isStaff          R     R       R
isSuperuser      R     R       R
`;
const [, ...rows] = rights.trim().split('\n');
const table = new Map(rows.map((row) => row.split(/\s+/)).map(([field = '', ...letters]) => [field, letters]));

const fields = [...table.keys()].filter((field) => !field.endsWith('!'));
const relations = ['self', 'same division'] as const;

const expected = (
  field: string,
  standing: Standing,
  relation: (typeof relations)[number],
  strict: boolean,
): string | undefined => {
  const letters = table.get(strict && table.has(`${field}!`) ? `${field}!` : field) ?? [];
  const columns = [
    relation === 'self',
    standing.groups.includes('Leader'),
    standing.groups.includes('Leader') && (standing.isStaff || standing.isSuperuser),
  ];
  const held = new Set(letters.filter((_, column) => columns[column]));
  return ['W', 'R', 'F'].find((letter) => held.has(letter));
};

const actual = (standing: Standing, target: FieldTarget, field: string): string | undefined => {
  const actor = actorWithStanding(standing);
  if (!actor || explain(actor, 'updateUser', target).outcome !== 'allowed') return undefined;
  const sent = { [field]: target.value };
  if (forbiddenFields(actor, target, sent).some(({ code }) => code === 'field_forbidden')) return 'F';
  const { faults } = checkFields(userChangeChecks({ today: () => '2026-01-01', passwordMinLength: 8 }), sent, {
    readOnly: USER_READ_ONLY,
  });
  return faults.some(({ code }) => code === 'read_only') ? 'R' : 'W';
};

describe('Each field of each user', () => {
  it('can be written by exactly the callers in the table', () => {
    let count = 0;
    for (const standing of standings) {
      for (const relation of relations) {
        for (const flags of relation === 'self' ? [standing] : flagPairs) {
          const user = targetOf(relation, flags);
          if (!user) throw new Error('only an absent target is null');
          for (const field of fields) {
            for (const strict of field === 'division'
              ? [false, true]
              : [field === 'password' && isAdministrator(flags)]) {
              const target = { ...user, value: strict ? OTHER : OWN };
              const letter = standing.status === 'active' ? expected(field, standing, relation, strict) : undefined;
              expect(actual(standing, target, field), `${JSON.stringify({ standing, flags })} ${field}`).to.equal(
                letter,
              );
              count++;
            }
          }
        }
      }
    }
    reportCount(count, 'decisions about fields');
  });

  it('has a row in the table, and either a right or a read-only mark', () => {
    expect(fields.toSorted()).to.deep.equal([...Object.keys(fieldRights), ...USER_READ_ONLY].toSorted());
  });

  it('has no right if it is read-only', () => {
    for (const field of USER_READ_ONLY) expect(fieldRights).not.to.have.property(field);
  });

  it('has a right if it has a check, so that no request can write an undecided field', () => {
    expect(Object.keys(userChangeChecks({ today: () => '2026-01-01', passwordMinLength: 8 })).toSorted()).to.deep.equal(
      Object.keys(fieldRights).toSorted(),
    );
  });

  it('cannot be written by callers who may not update the user', () => {
    for (const standing of standings) {
      const actor = actorWithStanding(standing);
      for (const relation of ['same division', 'other division'] as const) {
        const target = targetOf(relation);
        if (!actor || !target || explain(actor, 'updateUser', target).outcome === 'allowed') continue;
        const refused = forbiddenFields(actor, target, Object.fromEntries(fields.map((field) => [field, OWN])));
        if (standing.status === 'active') expect(refused.map(({ field }) => field)).to.deep.equal(fields);
      }
    }
  });
});

const isAdministrator = ({ isStaff, isSuperuser }: { isStaff: boolean; isSuperuser: boolean }) =>
  isStaff || isSuperuser;
