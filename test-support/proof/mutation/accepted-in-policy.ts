import type { AcceptedMutant } from './judge.ts';

/** Returns mutants of a file of the domain. */
export const inFile = (file: string, mutants: readonly Omit<AcceptedMutant, 'file'>[]): readonly AcceptedMutant[] =>
  mutants.map((mutant) => Object.assign({ file: `packages/domain/src/${file}` }, mutant));

/** Why a condition that only narrows a type may be removed. */
export const NARROWS = 'The condition only narrows the type: the previous line has thrown in this case.';

/** Mutants of the policy that may survive, with the reason why no test is missing. */
export const acceptedInPolicy: readonly AcceptedMutant[] = [
  ...inFile('policy/authorize.ts', [
    {
      line: 'if («!found») throw notFound();',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: NARROWS,
    },
  ]),
  ...inFile('policy/conditions.ts', [
    {
      line: 'if (!(isValue(value) || («value === null» && property === null))) return null;',
      mutator: 'ConditionalExpression',
      replacement: 'true',
      reason: 'A constant is a value or null.',
    },
    {
      line: 'if (!Array.isArray(value) || «value.length > MAX_EQUALITIES») return false;',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'The condition only saves time: more than 100 matches have more than 100 equalities.',
    },
  ]),
  ...inFile('policy/rules.ts', [
    {
      line: 'const added = clausesOf(condition, () => «true»);',
      mutator: 'BooleanLiteral',
      replacement: 'false',
      reason: 'The predicate of the base applies.',
    },
    {
      line: 'const added = clausesOf(condition, «() => true»);',
      mutator: 'ArrowFunction',
      replacement: '() => undefined',
      reason: 'The predicate of the base applies.',
    },
  ]),
  ...inFile('policy/attributes.ts', [
    {
      line: "if («name === 'divisionId'») return properties.divisionId;",
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'Reading this name like any other is only slower.',
    },
    {
      line: "if (name === «'divisionId'») return properties.divisionId;",
      mutator: 'StringLiteral',
      replacement: '""',
      reason: 'Reading this name like any other is only slower.',
    },
    {
      line: "return «name === 'id'» ? properties.id : properties[name];",
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'Reading this name like any other is only slower.',
    },
    {
      line: '} catch «{»',
      mutator: 'BlockStatement',
      replacement: '{}',
      reason: 'Undefined counts as false too.',
    },
    {
      line: "return name === «'id'» ? properties.id : properties[name];",
      mutator: 'StringLiteral',
      replacement: '""',
      reason: 'Reading this name like any other is only slower.',
    },
    {
      line: "if («attribute === 'divisionId'») copy.divisionId = found;",
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'Reading this name like any other is only slower.',
    },
    {
      line: "if (attribute === «'divisionId'») copy.divisionId = found;",
      mutator: 'StringLiteral',
      replacement: '""',
      reason: 'Reading this name like any other is only slower.',
    },
    {
      line: "else if («attribute === 'id'») copy.id = found;",
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'Reading this name like any other is only slower.',
    },
    {
      line: "else if (attribute === «'id'») copy.id = found;",
      mutator: 'StringLiteral',
      replacement: '""',
      reason: 'Reading this name like any other is only slower.',
    },
  ]),
  ...inFile('policy/authorize.ts', [
    {
      line: '«alternativesOf(allows).find((one) => permits(one, actor, target))?.description» ?? allows.description;',
      mutator: 'OptionalChaining',
      replacement: 'alternativesOf(allows).find(one => permits(one, actor, target)).description',
      reason: 'A rule that allows has an alternative that allows.',
    },
    {
      line: 'if («!row») return false;',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'Without a row, the next lines throw, which denies too.',
    },
    {
      line: 'if (!isOperator(caller) && !«actor?.isActive») return false;',
      mutator: 'OptionalChaining',
      replacement: 'actor.isActive',
      reason: 'A malformed actor throws, which denies too.',
    },
    {
      line: "const matches: readonly ScopeMatch[] = typeof set === 'string' ? «[]» : set;",
      mutator: 'ArrayDeclaration',
      replacement: '["Stryker was here"]',
      reason: 'No text has this attribute.',
    },
    {
      line: "return matches.map((match) => match[attribute]).find((value) => «typeof value === 'string'»);",
      mutator: 'ConditionalExpression',
      replacement: 'true',
      reason: 'The scopes of these actions have one match, with this attribute.',
    },
  ]),
  ...inFile('policy/fields.ts', [
    {
      line: '{ readOnly = «[]», ofOperator = [] }: OtherFields = {},',
      mutator: 'ArrayDeclaration',
      replacement: '["Stryker was here"]',
      reason: 'No field has this name.',
    },
  ]),
];
