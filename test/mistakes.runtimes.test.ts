import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../test-support/folders.ts';
import { packedPackages } from '../test-support/packed.ts';

const COMPILERS = { 'TypeScript 5.4': 'typescript54', 'TypeScript 7': 'typescript7' };

const DECLARATIONS = `
import * as domain from '@chapter/domain';
const { anyOf, can, defineTarget, makeCan, makeFieldRights, makeScope, onDivision, onUser, restrict } = domain;
const { rowsFor, rule, rules, scope, scopeToSql, where } = domain;
declare const actor: domain.Actor;
declare const user: domain.User;
declare const target: domain.UserTarget;
declare const badge: domain.Rule<domain.UserTarget, domain.Actor & { readonly age: number }>;
const event = defineTarget({ id: 'uuid', ownerId: 'uuid', isOpen: 'boolean' });
`;

/** A mistake, and what must be in the first line of its only error. */
const MISTAKES: Readonly<Record<string, readonly [mistake: string, hint: string]>> = {
  'reads an attribute of a target without a type': [
    "rule('the user', (actor, user) => actor.id === user.id)",
    "Property 'id' does not exist on type 'TargetWithoutTypeAnnotation'.",
  ],
  'passes a stored user for a target': [
    "can(actor, 'updateUser', user)",
    `parameter of type '"a target, which asTarget(user) makes of a stored user"'.`,
  ],
  'passes a target without an attribute that the rules read': [
    "can(actor, 'getUser', { id: user.id })",
    '{ readonly id: string; readonly divisionId: string | null;',
  ],
  'misspells an action': ["can(actor, 'updateUsers', target)", '"updateUser"'],
  'decides about an actor without a property that a rule reads': [
    "makeCan({ badge: onUser(badge) })(actor, 'badge', target)",
    "Argument of type 'Actor' is not assignable to parameter of type 'Operator | (Actor & { readonly age: number; }) | null'.",
  ],
  'uses a rule for another type of target': [
    'onDivision(rules.self)',
    `"the rule reads id, which this type of target does not have"`,
  ],
  'misspells an attribute in a condition': [
    "rowsFor(event, rules.owner)(where(rules.owner, 'the owner', { isopen: true }))",
    `"the rule reads isopen, which this type of target does not have"`,
  ],
  'lets a rule for another type of target decide about a field': [
    'makeFieldRights(event, { isOpen: rules.leader })',
    `"the rule reads divisionId, which this type of target does not have"`,
  ],
  'asks for the scope of a rule that has none': [
    "scope(actor, 'createPasswordLink')",
    'an action whose targets can be listed: its rule must be made by scopedRule or where, not by rule or restrict',
  ],
  'makes a policy of a rule instead of a row': [
    'makeScope({ badge: rules.leader })',
    "is missing the following properties from type 'PolicyRow<never, AnyRule, AnyRule>': allows, canSee, readTarget",
  ],
  'misspells the kind of an attribute': ["defineTarget({ isOpen: 'bool' })", '"boolean or null"'],
  'misspells the reference to a property of the actor': [
    "where(rules.owner, 'the owner of today', { day: { property: 'day' } })",
    "'property' does not exist in type '{ readonly actor: string; }'.",
  ],
  'combines an array of rules': ['anyOf([rules.self, rules.leader])', "not assignable to parameter of type 'AnyRule'."],
  'writes SQL without naming columns': ["scopeToSql(scope(actor, 'getUser'))", 'Expected 2-3 arguments, but got 1.'],
};

describe('The first line of the error of a program that', () => {
  const project = makeFolder();
  const errors = new Map<string, readonly string[]>();

  before(() => {
    const domain = join(project, 'node_modules/@chapter/domain');
    mkdirSync(domain, { recursive: true });
    spawnSync('tar', ['-xzf', packedPackages()['domain'] ?? '', '--strip-components', '1', '-C', domain]);
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    const settings = { strict: true, exactOptionalPropertyTypes: true, module: 'nodenext', noEmit: true, types: [] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: settings }));
    for (const [at, [mistake]] of Object.values(MISTAKES).entries()) {
      writeFileSync(join(project, `mistake-${at}.ts`), `${DECLARATIONS}export const mistake = ${mistake};\n`);
    }
    for (const [title, compiler] of Object.entries(COMPILERS)) {
      const path = resolve('node_modules', compiler, 'bin/tsc');
      const { stdout } = spawnSync(process.execPath, [path, '--pretty', 'false'], { cwd: project, encoding: 'utf8' });
      errors.set(
        title,
        stdout.split('\n').filter((line) => /^\S/.test(line)),
      );
    }
  });

  for (const title of Object.keys(COMPILERS)) {
    for (const [at, [mistake, [, hint]]] of Object.entries(MISTAKES).entries()) {
      it(`${mistake} leads to the solution, with ${title}`, () => {
        const [line, ...others] = errors.get(title)?.filter((error) => error.startsWith(`mistake-${at}.ts(`)) ?? [];
        expect(line).to.include(hint);
        expect(others).to.deep.equal([]);
      });
    }
  }
});
