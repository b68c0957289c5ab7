import {
  can,
  fieldRights,
  GROUPS,
  OPERATOR,
  onDivision,
  onService,
  onUser,
  operatorFields,
  policy,
  publicActions,
  rules,
  USER_READ_ONLY,
} from '@chapter/domain/api';
import { expect } from 'chai';
import { leader, OWN } from '../../../../test-support/proof/states.ts';

const tables = { policy, fieldRights, operatorFields, rules, GROUPS, OPERATOR, publicActions, USER_READ_ONLY };

/** Returns the paths of all objects and functions in a value that are not frozen. */
const mutablePaths = (value: unknown, path: string): readonly string[] => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return [];
  const own = Reflect.ownKeys(value)
    .filter((key) => typeof key === 'string')
    .flatMap((key) => mutablePaths(Object.getOwnPropertyDescriptor(value, key)?.value, `${path}.${key}`));
  return Object.isFrozen(value) ? own : [path, ...own];
};

describe('The tables of the policy', () => {
  it('are deeply frozen', () => {
    const paths = Object.entries(tables).flatMap(([name, table]) => mutablePaths(table, name));
    // The functions that read targets have no properties that decide anything.
    expect(paths.filter((path) => !path.endsWith('.readTarget') && !path.includes('.prototype'))).to.deep.equal([]);
  });

  it('make frozen rows', () => {
    for (const row of [onUser(rules.self), onDivision(rules.leader), onService(rules.authenticated)]) {
      expect(Object.isFrozen(row)).to.equal(true);
    }
  });

  it('decide as before after an attempt to overwrite a rule', () => {
    const tampered = policy as unknown as Record<string, unknown>;
    expect(() => {
      tampered['updateDivision'] = policy.getInfo;
    }).to.throw(TypeError);
    expect(() => {
      (policy.updateDivision as { allows: unknown }).allows = rules.authenticated;
    }).to.throw(TypeError);
    expect(can({ ...leader, groups: ['User'] }, 'updateDivision', { divisionId: OWN })).to.equal(false);
  });
});
