import {
  type Actor,
  anyOf,
  defineTarget,
  isInScope,
  makeActor,
  makeCan,
  makeGrants,
  makeScope,
  type Rule,
  restrict,
  row,
  rowsFor,
  rule,
  rules,
  scopedRule,
  scopeToSql,
  type TargetOfType,
  type UserTarget,
  where,
} from '@chapter/domain';
import { aLeader, anAdministrator, aTarget, aUser, expectScopeEqualsCan } from '@chapter/domain/testing';
import { expect } from 'chai';
import { reachOf } from '../../src/policy/rules.ts';
import { album } from '../library/album-policy.ts';

const ada = aUser();
const people = { ada, stranger: aLeader(), homeless: aUser().with({ divisionId: null }), anonymous: null };
const draft = aTarget(album, { ownerId: ada.id });
type Album = TargetOfType<typeof album>;

describe('An own property of an actor', () => {
  interface Member extends Actor {
    readonly country: string | null;
    readonly level: number;
  }
  const event = defineTarget({ country: 'text or null', level: 'integer', isOpen: 'boolean' });
  const compatriot = scopedRule('someone of the country', { country: { actor: 'country' } });
  const peer = where(compatriot, 'someone of the country and level', [
    { level: { actor: 'level' } },
    { level: 0, country: 'de' },
  ]);
  const onEvent = rowsFor(event, rules.authenticated);
  const senior: Rule<object, Member> = rule('a senior', (actor) => actor.level > 5);
  const rows = { join: onEvent(peer), open: onEvent(anyOf(senior, rules.administrator)) };
  const member = (country: string | null, level = 1): Member => makeActor({ ...aUser(), country, level });
  const [german, dane] = [member('de'), member('dk', 9)];

  it('reaches conditions and predicates', () => {
    const can = makeCan(rows);
    const inGermany = { country: 'de', level: 1, isOpen: true };
    expect([can(german, 'join', inGermany), can(dane, 'join', inGermany)]).to.deep.equal([true, false]);
    expect([can(german, 'open', inGermany), can(dane, 'open', inGermany)]).to.deep.equal([false, true]);
    expect([can({ ...german }, 'join', inGermany), can(structuredClone({ ...dane }), 'open', inGermany)]).to.deep.equal(
      [true, true],
    );
    // @ts-expect-error the rules read properties that this actor does not have
    expect(can(anAdministrator(), 'join', inGermany)).to.equal(false);
  });

  it('gives grants whose candidates have it, unless a constant differs', () => {
    const grants = makeGrants({ join: rows.join, open: onEvent(scopedRule('anyone', { level: 1, isOpen: true })) });
    const target = { country: 'de', level: 1, isOpen: true };
    const [join] = grants('join', target);
    expect(join?.candidates).to.deep.equal([{ country: 'de', level: 1 }]);
    expect(grants('join', { ...target, level: 0 })[0]?.candidates).to.deep.equal([
      { country: 'de', level: 0 },
      { country: 'de' },
    ]);
    expect(grants('join', { ...target, country: null })[0]?.candidates).to.equal('none');
    const candidates = [1, 2].map((level) => grants('open', { ...target, level })[0]?.candidates);
    expect(candidates).to.deep.equal(['all', 'none']);
  });

  it('is described, as rules are, and known of every part of a rule or of none', () => {
    expect([peer.description, rules.owner.description]).to.deep.equal([
      'someone of the country and level',
      'the owner',
    ]);
    expect(anyOf(senior, rules.administrator).clauses).to.equal(undefined);
    expect(anyOf(compatriot, rules.administrator).clauses).to.have.length(2);
  });

  it('must be of its kind in a target, whose fault is named', () => {
    const { readTarget } = onEvent(rule('anyone', () => true));
    const valid = { country: 'de', level: 1, isOpen: true };
    const faults = [valid, null, { ...valid, country: 7 }, { ...valid, level: 1.5 }, { ...valid, isOpen: 'x' }];
    expect(faults.map(readTarget.faultIn)).to.deep.equal([
      '',
      'it must be an object',
      'country must be text of valid Unicode without NUL or null',
      'level must be a safe integer',
      'isOpen must be true or false',
    ]);
    expect([event.read({ ...valid, country: 7 }), event.read({ ...valid, country: '\0' })]).to.deep.equal([null, null]);
  });

  it('equals nothing if it is null, absent, a list or no safe integer', () => {
    const can = makeCan(rows);
    const odd = [null, undefined, ['de'], { de: 1 }, Number.NaN, 1n, Symbol('de')];
    for (const country of odd) {
      const actor = { ...german, country } as Member;
      expect(can(actor, 'join', { country: country as never, level: 1, isOpen: true })).to.equal(false);
      expect(makeScope(rows)(actor, 'join')).to.equal('none');
    }
    for (const text of ['\0', '\ud800']) {
      expect(can(member(text), 'join', { country: text, level: 1, isOpen: true })).to.equal(false);
      expect(makeScope(rows)(member(text), 'join')).to.equal('none');
    }
  });

  it('is compared in scopes, joined by and and or', () => {
    const found = makeScope(rows)(german, 'join');
    expect(found).to.deep.equal([
      { country: 'de', level: 1 },
      { country: 'de', level: 0 },
    ]);
    expect(makeScope(rows)(dane, 'join')).to.deep.equal([{ country: 'dk', level: 9 }]);
    expect(isInScope(JSON.parse(JSON.stringify(found)), { country: 'de', level: 0 })).to.equal(true);
    const actors = { german, dane, none: member(null), senior: member('de', 0), anonymous: null };
    expect(expectScopeEqualsCan(rows, actors)).to.be.greaterThan(50);
  });
});

describe('A condition', () => {
  it('may compare with null, which no property of an actor equals', () => {
    const task = defineTarget({ closedOn: 'text or null', ownerId: 'uuid or null' });
    const open = where(rules.owner, 'the owner of an open task', { closedOn: null });
    const rows = { close: rowsFor(task, open)(open) };
    const set = makeScope(rows)(ada, 'close');
    expect(scopeToSql(set, { closedOn: 't.closed_on', ownerId: 't.owner_id' })).to.deep.equal({
      text: '("t"."owner_id" = $1 and "t"."closed_on" is null)',
      parameters: [ada.id],
    });
    expect(isInScope(set, { ownerId: ada.id })).to.equal(false);
    expect(isInScope(set, { ownerId: ada.id, closedOn: null })).to.equal(true);
    expect(expectScopeEqualsCan(rows, people)).to.be.greaterThan(10);
  });

  it('is refused if it has another value, or is too large', () => {
    const wrong = [undefined, 1.5, Number.NaN, [], {}, { actor: 7 }, 1n, () => 1];
    for (const value of wrong) {
      expect(() => scopedRule('x', { id: value } as never)).to.throw(TypeError, 'id must equal a string');
    }
    const many = Array.from({ length: 101 }, (_, level) => ({ level }));
    expect(() => scopedRule('x', many)).to.throw(RangeError, 'at most 100 equalities');
    expect(scopeToSql(scopedRule('x', many.slice(1)).scope(ada), { level: 'l' }).parameters).to.have.length(100);
    const wide = Object.fromEntries(many.map((_, at) => [`a${at}`, 1]));
    expect(() => scopedRule('x', wide)).to.throw(RangeError);
    const half = scopedRule('x', many.slice(50));
    expect(() => anyOf(half, half)).to.throw(RangeError);
    expect(() => where(half, 'x', [{ isOpen: true }, { isOpen: false }])).to.throw(RangeError);
  });

  it('that contradicts another one has no scope', () => {
    const both = where(scopedRule('x', { level: 1 }), 'x', { level: 2 });
    expect(both.scope(ada)).to.equal('none');
    expect(both(ada, { level: 1 })).to.equal(false);
  });

  it('of a restricted rule stays known, but has no scope', () => {
    const allows = restrict(rules.owner, 'another owner', (actor, thing: Album) => actor.id !== thing.id);
    const rows = { take: row(allows, rules.authenticated, album) };
    expect(() => expectScopeEqualsCan(rows, people)).to.throw('no action of the policy has a scope');
    expect([makeCan(rows)(ada, 'take', draft), makeCan(rows)(ada, 'take', { ...draft, id: ada.id })]).to.deep.equal([
      true,
      false,
    ]);
    expect(reachOf(allows, ada)).to.deep.equal([{ ownerId: ada.id }]);
  });
});

describe('The reach of a rule', () => {
  it('is empty if the actor does not fulfil it, and all targets if it has no condition', () => {
    const colleague = restrict(rules.leader, 'another Leader', (actor, { id }: UserTarget) => actor.id !== id);
    const leader = aLeader();
    expect([reachOf(colleague, ada), reachOf(colleague, leader)]).to.deep.equal([
      'none',
      [{ divisionId: leader.divisionId }],
    ]);
    expect(
      reachOf(
        anyOf(
          rules.self,
          rule('x', () => false),
        ),
        ada,
      ),
    ).to.equal('all');
  });
});

describe('A rule that reads no target', () => {
  it('allows nothing on a value that is not a target', () => {
    const can = makeCan({ view: row(rules.authenticated, rules.authenticated, album) });
    expect([can(ada, 'view', draft), can(ada, 'view', null), can(ada, 'view', 7 as never)]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });
});

describe('A scope from elsewhere', () => {
  const malformed = [null, 7, 'some', {}, [], [{}], [null], [7], [{ id: {} }], [{ id: undefined }], [{ id: 1.5 }]];

  it('is empty if it is malformed, and refused as SQL', () => {
    const wide = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`a${at}`, at]));
    const tooMany = [Array.from({ length: 101 }, (_, id) => ({ id })), [wide, wide, { id: 1 }]];
    for (const set of [...malformed, ...tooMany] as never[]) {
      expect(isInScope(set, { id: 1 })).to.equal(false);
      if (JSON.stringify(set) !== '[]') expect(() => scopeToSql(set, { id: 'id' })).to.throw(TypeError, 'not a scope');
    }
    expect(scopeToSql([], {}).text).to.equal('false');
    expect(() => scopeToSql([{ id: 1 }], {})).to.throw(TypeError, 'columns has no "id": name its column');
  });
});

describe('The check that scopes equal decisions', () => {
  it('fails with the action, the actor and the target that differ', () => {
    const { description, clauses, scope } = rules.owner;
    const allows = Object.assign(() => true, { description, clauses, scope });
    const wrong = { listAlbums: row(allows, rules.owner, album) };
    expect(() => expectScopeEqualsCan(wrong, { ada })).to.throw(/^listAlbums, ada, \{.*\} is false, not true$/);
  });

  it('fails if the policy allows none of the actors anything', () => {
    const rows = { listAlbums: row(rules.owner, rules.owner, album) };
    expect(() => expectScopeEqualsCan(rows, { anonymous: null })).to.throw('the actors may perform no action');
    expect(expectScopeEqualsCan(rows, { anonymous: null, ada })).to.be.at.least(4);
  });
});
