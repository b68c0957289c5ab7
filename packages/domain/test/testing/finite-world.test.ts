import {
  anyOf,
  defineTarget,
  explain,
  makeExplain,
  OPERATOR,
  onDivision,
  onService,
  onUser,
  orOperator,
  policy,
  restrict,
  rowsFor,
  rule,
  rules,
  targetTypes,
  type UserTarget,
} from '@chapter/domain';
import {
  alwaysAllows,
  alwaysDenies,
  aUser,
  decisionDiff,
  equivalent,
  fieldRows,
  implies,
  whoCan,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { smallWorld } from '../../../../test-support/proof/worlds.ts';
import { runs } from '../../../../test-support/properties.ts';
import { album, albumPolicy } from '../library/album-policy.ts';
import { expectReproduced, shown } from './examples.ts';

describe('The questions about hard cases', () => {
  it('treat an action of one policy only as denied by the other', () => {
    const { moveUser: _, ...less } = policy;
    const praise = onUser(rules.guest);
    expect(shown(decisionDiff(policy, less))).to.deep.equal(['moveUser: the operator: allowed → forbidden']);
    expect(shown(decisionDiff({}, { praise }))).to.deep.equal([
      'praise: a user in Guest; divisionId caller.divisionId: forbidden → allowed',
    ]);
    expect(decisionDiff({}, { praise: onUser(rules.noUser) })).to.deep.equal([]);
    expect([decisionDiff({}, {}), equivalent({}, {}), alwaysAllows({}), alwaysDenies({})]).to.deep.equal([
      [],
      null,
      null,
      null,
    ]);
  });

  it('need no target for the service, and deny a rule that throws or returns a promise', () => {
    const rows = { x: onService(rules.administrator) };
    for (const one of whoCan(rows, 'x')) expect(expectReproduced(one, rows).target).to.deep.equal({});
    const fail = (): never => {
      throw new Error('must not reach the caller');
    };
    const odd = [fail, () => Promise.resolve(true) as never, () => 1 as never].map((allows) =>
      onUser(rule('odd', allows)),
    );
    for (const x of odd) expect(alwaysDenies({ x })).to.equal(null);
    const partly = onUser(rule('odd', (actor) => actor.isStaff || fail()));
    expect(shown(whoCan({ partly }, 'partly'))).to.deep.equal(['partly: a user with isStaff: allowed']);
  });

  it('find that two missing divisions are equal in a rule of a function', () => {
    const careless = rule(
      'a colleague',
      (actor, target: { divisionId: string | null }) => actor.divisionId === target.divisionId,
    );
    const [one, other] = [{ x: onDivision(careless) }, { x: onDivision(rules.divisionMember) }];
    const found = expectReproduced(implies(one, other), one, other);
    expect(found.who).to.equal(
      'a user without isStaff without isSuperuser without a division; divisionId caller.divisionId or null',
    );
    expect(found.code).to.include('aUser().with({ divisionId: null })');
  });

  it('distinguish each combination of equal ids for a function', () => {
    const thing = defineTarget({ id: 'uuid', ownerId: 'uuid', makerId: 'uuid', divisionId: 'uuid' });
    type Thing = Readonly<Record<'id' | 'ownerId' | 'makerId' | 'divisionId', string>>;
    const rare = rule('rare', ({ id }, { ownerId, makerId, divisionId, id: own }: Thing) => {
      const isSame = ownerId === divisionId && makerId === own && own !== ownerId;
      return isSame && ![own, ownerId].includes(id);
    });
    const rows = { x: rowsFor(thing, rules.authenticated)(rare) };
    const { target } = expectReproduced(alwaysDenies(rows), rows);
    expect(new Set(Object.values(target)).size).to.equal(2);
  });

  it('answer for things of another service', () => {
    const later = { ...albumPolicy, commentAlbum: albumPolicy.readAlbum };
    const diff = decisionDiff(albumPolicy, later);
    expect(shown(diff)).to.deep.equal([
      'commentAlbum: a user; ownerId caller.id, isPublished false: forbidden → allowed',
      'commentAlbum: a user; ownerId caller.id, divisionId not caller.divisionId: forbidden → allowed',
      'commentAlbum: a user in Leader; divisionId caller.divisionId, isPublished false: forbidden → allowed',
    ]);
    for (const one of diff) expectReproduced(one, albumPolicy, later);
    expect(implies({ x: albumPolicy.addPhoto }, { x: albumPolicy.publishAlbum })).to.equal(null);
    const rows = fieldRows(album, { title: rules.owner });
    expectReproduced(alwaysDenies(rows), rows);
  });

  it('find each difference between two rows that random people find', () => {
    const { self, leader, guest, administrator, authenticated, noUser, divisionMember } = rules;
    const careful = restrict(leader, 'x', (actor, user: UserTarget) => actor.isStaff || !user.isStaff);
    const other = rule('y', (actor, user: UserTarget) => actor.id !== user.id && actor.divisionId === user.divisionId);
    const found = [
      self,
      leader,
      guest,
      administrator,
      authenticated,
      noUser,
      divisionMember,
      careful,
      other,
      anyOf(self, careful),
    ];
    const anyRow = fc
      .record({ allows: fc.constantFrom(...found), sees: fc.constantFrom(...found), operator: fc.boolean() })
      .map(({ allows, sees, operator }) => {
        const one = rowsFor(targetTypes.user, sees as typeof self)(allows as typeof self);
        return operator ? orOperator(one) : one;
      });
    fc.assert(
      fc.property(anyRow, anyRow, smallWorld, (x, y, { people }) => {
        const [before, after] = [{ x }, { x: y }];
        const diff = decisionDiff(before, after);
        for (const one of diff) expectReproduced(one, before, after);
        const pairs = diff.map(({ outcomes }) => outcomes.join());
        for (const caller of [...people.filter(({ isActive }) => isActive), OPERATOR]) {
          for (const target of people) {
            const outcomes = [before, after].map((rows) => makeExplain(rows)(caller, 'x', target).outcome);
            if (outcomes[0] !== outcomes[1]) expect(pairs).to.include(outcomes.join());
          }
        }
      }),
      runs(20),
    );
    expect(explain(aUser(), 'getInfo', null).outcome).to.equal('allowed');
  });
});
