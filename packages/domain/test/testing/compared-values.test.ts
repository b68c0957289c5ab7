import {
  type Actor,
  anyOf,
  type Condition,
  defineTarget,
  type Operand,
  onUser,
  type Policy,
  restrict,
  rowsFor,
  rule,
  rules,
  scopedRule,
  targetTypes,
  where,
} from '@chapter/domain';
import { alwaysDenies, aUser, disjoint, equivalent, implies, whoCan } from '@chapter/domain/testing';
import { expect } from 'chai';
import { expectReproduced, shown } from './examples.ts';

describe('The questions about properties and attributes that rules compare', () => {
  it('know the own properties of callers that conditions name, and the constants', () => {
    const event = defineTarget({ country: 'text or null', level: 'integer' });
    const rows = {
      x: rowsFor(event, rules.authenticated)(scopedRule('x', { country: { actor: 'country' }, level: 7 })),
    };
    const [found] = whoCan(rows, 'x');
    expect(found?.code).to.equal(
      [
        "const caller = makeActor({ ...aUser(), ...{ country: 'text of a caller 0' } });",
        "explain(caller, 'x', { country: caller.country, level: 7 });",
      ].join('\n'),
    );
    for (const one of whoCan(rows, 'x')) expectReproduced(one, rows);
    const team = {
      x: rowsFor(defineTarget({ teamId: 'uuid' }), rules.noUser)(scopedRule('x', { teamId: { actor: 'teamId' } })),
    };
    const onEvent = rowsFor(event, rules.authenticated);
    const peer = scopedRule('a peer', { level: { actor: 'level' } });
    const newcomer = rule('a newcomer', (actor: Actor & { readonly level: number | null }) => actor.level === null);
    const [all, some] = [{ x: onEvent(rules.authenticated) }, { x: onEvent(anyOf(peer, newcomer)) }];
    expectReproduced(implies(all, some, { 'caller.level': [null] }), all, some);
    expect(expectReproduced(alwaysDenies(team), team).target).to.have.property('teamId');
  });

  it('try own properties and ids of callers that equal each other and constants, or differ', () => {
    const [constant, note] = [aUser().id, 'text or null'] as const;
    const thing = defineTarget({ a: 'uuid', b: 'uuid', c: 'uuid', ownerId: 'uuid', n: note, o: note, p: note });
    const rowOf = rowsFor(thing, rules.authenticated);
    const [m, d, e, id] = ['m', 'd', 'e', 'id'].map((actor) => ({ actor })) as [Operand, Operand, Operand, Operand];
    const ask = (condition: Condition): Policy => ({ x: rowOf(scopedRule('x', condition) as never) });
    const [both, same] = [ask({ a: m, b: d }), ask({ a: m, b: m })];
    expectReproduced(implies(both, same), both, same);
    const [own, given] = [ask({ ownerId: m }), ask({ ownerId: constant })];
    for (const one of [own, given]) expectReproduced(disjoint(one, ask({ ownerId: id })), one, ask({ ownerId: id }));
    for (const operand of [m, constant]) {
      const x = { x: rowOf(where(rules.owner, 'x', { ownerId: operand } as { readonly ownerId: Operand } as never)) };
      expectReproduced(alwaysDenies(x), x);
    }
    // Three properties that all differ, and a target that has none of them.
    const [three, few] = [ask({ n: m, o: d }), ask([{ n: d }, { p: m }, { p: d }])];
    expectReproduced(implies(three, few), three, few);
    const [all, cyclic] = [ask({ n: m, o: d, p: e }), ask([{ n: d }, { o: e }, { p: m }])];
    expectReproduced(implies(all, cyclic), all, cyclic);
    // A function may compare an attribute with one that a condition compares with something else.
    const isSame = ({ id, divisionId }: Actor, { a, b }: Readonly<Record<'a' | 'b', string>>) =>
      a === b && ![id, divisionId].includes(a);
    const pair = rowsFor(defineTarget({ a: 'uuid', b: 'uuid' }), rules.authenticated);
    const x = pair(restrict(scopedRule('x', { a: constant }), 'x', isSame));
    expectReproduced(alwaysDenies({ x }), { x });
  });

  it('print any text so that the code reproduces it', () => {
    for (const text of ["it's", '\\', '"', "\\'\n", '${x}', '\u2028ä']) {
      const x = rowsFor(defineTarget({ text: 'text' }), rules.noUser)(scopedRule(text, { text }));
      for (const one of whoCan({ x }, 'x')) expectReproduced(one, { x });
      expect(alwaysDenies({ x })?.target).to.deep.equal({ text });
    }
  });

  it('throw if a rule reads what the world does not vary, unless values are given', () => {
    const founder = rule('a founder', (actor) => actor.username === 'ada');
    const own = rule('a compatriot', (actor: Actor & { readonly country: string }) => actor.country === 'de');
    const long = rule('a reader', (_, book: { readonly pages: number }) => book.pages < 100);
    const onBook = rowsFor(defineTarget({ pages: 'integer', title: 'text' }), rules.authenticated);
    const rows = {
      founder: onUser(founder),
      own: onUser(own),
      long: onBook(long),
      canSee: rowsFor(targetTypes.user, founder)(rules.self),
      // Values that conditions name are not all that functions distinguish.
      both: onBook(anyOf(long, scopedRule('a reader', { pages: 7 }))),
      holds: onBook(scopedRule('x', { title: { actor: 'country' } }, ({ country }) => country === 'de')),
    };
    const looksFor = [
      (actor: object) => 'country' in actor,
      (actor: object) => Object.hasOwn(actor, 'country'),
      (actor: object) => Reflect.ownKeys(actor).length > 30,
    ];
    for (const looks of looksFor) {
      expect(() => alwaysDenies({ x: onUser(rule('x', looks)) })).to.throw(TypeError, 'a rule of x reads caller.');
    }
    const names = {
      founder: 'caller.username',
      own: 'caller.country',
      long: 'target.pages',
      canSee: 'caller.username',
      both: 'target.pages',
      holds: 'caller.country',
    };
    for (const [action, name] of Object.entries(names)) {
      const one: Policy = { [action]: rows[action as keyof typeof rows] };
      expect(() => equivalent(one, one)).to.throw(TypeError, `a rule of ${action} reads ${name}: name values`);
      const values = { 'caller.username': ['ada', 'bob'], 'caller.country': ['dk', 'de'], 'target.pages': [99, 100] };
      expect(equivalent(one, one, values)).to.equal(null);
      for (const found of whoCan(one, action, values)) expectReproduced(found, one);
    }
    expect(shown(whoCan({ long: rows.long }, 'long', { 'target.pages': [99, 100] }))).to.deep.equal([
      'long: a user; pages -9007199254740991 or 99: allowed',
    ]);
  });

  it('notice constants of functions only if they are named', () => {
    const founderId = aUser().id;
    const x = onUser(rule('the founder', ({ id }) => id === founderId));
    expect(alwaysDenies({ x })).to.equal(null);
    expectReproduced(alwaysDenies({ x }, { 'caller.id': [founderId] }), { x });
  });
});
