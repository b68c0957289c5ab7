import { acceptedInPolicy, inFile, NARROWS } from './accepted-in-policy.ts';
import type { AcceptedMutant } from './judge.ts';

const SAVES_TIME = 'Without the condition, more keys are looked at, with the same result.';
const NO_HASH = 'The port promises that verify returns false for a null hash.';
const NO_TEXT = 'Without a secret there is no hash to compare with, so no text matches.';

/** Mutants that may survive, with the reason why no test is missing. */
export const acceptedMutants: readonly AcceptedMutant[] = [
  ...acceptedInPolicy,
  ...inFile('use-cases/create-user.ts', [
    {
      line: "async (caller: Caller, readInput: ReadInput<SentCreation>, named: DivisionId = «''»): Promise<User> => {",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'No division has either id.',
    },
  ]),
  ...inFile('fields/field-check.ts', [
    {
      line: '«one === other» || JSON.stringify(one) === JSON.stringify(other);',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'The comparison only saves time: values that are the same have the same JSON.',
    },
  ]),
  ...inFile('model/user.ts', [
    {
      line: 'if («acceptedUuids.has(value)») return true;',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'The pattern gives the same result; the set only saves time.',
    },
    {
      line: 'if («acceptedUuids.size >= MAX_ACCEPTED») acceptedUuids.clear();',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'The limit only saves memory.',
    },
    {
      line: 'if («acceptedUuids.size >= MAX_ACCEPTED») acceptedUuids.clear();',
      mutator: 'EqualityOperator',
      replacement: 'acceptedUuids.size > MAX_ACCEPTED',
      reason: 'The limit only saves memory.',
    },
  ]),
  ...inFile('queues/fair-queue.ts', [
    {
      line: '{ maxRunning, maxPerKey = «[]», maxWaiting, maxWaitMs = MAX_WAIT_MS }: FairQueueLimits,',
      mutator: 'ArrayDeclaration',
      replacement: '["Stryker was here"]',
      reason: 'No number reaches a limit that is no number.',
    },
    {
      line: "const all = makeShareKey(«''»);",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'The name of the key above all others is not used.',
    },
    {
      line: 'if («key.waiting === 0» || key.servedAt >= servedAt || isAtLimit(key.name, level)) continue;',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: SAVES_TIME,
    },
    {
      line: 'while («all.waiting > 0» && all.running < maxRunning) {',
      mutator: 'ConditionalExpression',
      replacement: 'true',
      reason: SAVES_TIME,
    },
    {
      line: 'while («all.waiting > 0» && all.running < maxRunning) {',
      mutator: 'EqualityOperator',
      replacement: 'all.waiting >= 0',
      reason: SAVES_TIME,
    },
  ]),
  ...inFile('queues/keys.ts', [
    {
      line: 'if (isIdle(key) && «key.servedAt <= arrivalIn(group)») group.below.delete(key.name);',
      mutator: 'EqualityOperator',
      replacement: 'key.servedAt < arrivalIn(group)',
      reason: 'A key that is kept is served like a new one.',
    },
    {
      line: 'if («!known») {',
      mutator: 'ConditionalExpression',
      replacement: 'true',
      reason: SAVES_TIME,
    },
  ]),
  ...inFile('use-cases/end-sessions.ts', [
    {
      line: "const { id: userId } = authorizedUser(caller, 'endSessions', «owner === null» ? null : await users.find(owner));",
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'The condition only narrows the type: no user has the id null.',
    },
  ]),
  ...inFile('use-cases/redeem-password-link.ts', [
    {
      line: "const { token = «''», password = '' } = values;",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'The fault of an absent token has been thrown.',
    },
    {
      line: "const { token = '', password = «''» } = values;",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'The faults of the password are thrown before this password is used.',
    },
    {
      line: "const network = origin.network ?? «''»;",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'Requests without a network share one counter under any key.',
    },
  ]),
  ...inFile('use-cases/get-division.ts', [
    {
      line: 'if («!division») throw notFound();',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: NARROWS,
    },
  ]),
  ...inFile('use-cases/steps/attempt-login.ts', [
    {
      line: 'if (secret === undefined || !matches || !«found?.passwordHash» || !found.user.isActive) break;',
      mutator: 'OptionalChaining',
      replacement: 'found.passwordHash',
      reason: NO_HASH,
    },
    {
      line: "const matches = await verifyAttempt({ hasher, attempt }, secret ?? «''», hash, {",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'Without a secret, the login is rejected whether the verified text matches or not.',
    },
  ]),
  ...inFile('use-cases/steps/changes.ts', [
    {
      line: 'if (!matches || «hash === null») {',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: NO_HASH,
    },
    {
      line: "const matches = await verifyAttempt({ hasher, attempt }, secret ?? «''», hash, request);",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: NO_TEXT,
    },
  ]),
  ...inFile('use-cases/steps/session.ts', [
    {
      line: 'const earlierInstant = (one: Instant, other: Instant): Instant => («one < other» ? one : other);',
      mutator: 'EqualityOperator',
      replacement: 'one <= other',
      reason: 'Equal instants are the same text, so either may be returned.',
    },
  ]),
  ...inFile('fields/field-check.ts', [
    {
      line: 'readOnly = «[]»,',
      mutator: 'ArrayDeclaration',
      replacement: '["Stryker was here"]',
      reason: 'Differs only for a field with the name "Stryker was here".',
    },
  ]),
  ...inFile('use-cases/steps/check-new-user.ts', [
    {
      line: "const { division: _, username = «''», password = '', ...optional } = values;",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'Without a username the creation is rejected; until then, the default is only compared with a password.',
    },
  ]),
  ...inFile('use-cases/create-division.ts', [
    {
      line: "return divisions.create(authorOf(caller), { ...NEW_DIVISION_DEFAULTS, id: ids.next(), name: «''», ...values });",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'Without a name, the line before rejects the creation.',
    },
  ]),
  ...inFile('use-cases/create-access-token.ts', [
    {
      line: "const { expiresAt = «''», name = '', readOnly: isReadOnly = false } = values;",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'The fault of an absent value has been thrown.',
    },
    {
      line: "const { expiresAt = '', name = «''», readOnly: isReadOnly = false } = values;",
      mutator: 'StringLiteral',
      replacement: '"Stryker was here!"',
      reason: 'The fault of an absent value has been thrown.',
    },
  ]),
  ...inFile('use-cases/list-users-who-can.ts', [
    {
      line: "else if (typeof id !== 'string') await read(«typeof divisionId === 'string'» ? { divisionId } : {});",
      mutator: 'ConditionalExpression',
      replacement: 'true',
      reason: 'An undefined division does not restrict.',
    },
  ]),
  ...inFile('use-cases/create-access-token.ts', [
    {
      line: 'const INSTANT = «/^(\\d{4}-\\d\\d-\\d\\d)T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d)$/i»;',
      mutator: 'Regex',
      replacement: '/(\\d{4}-\\d\\d-\\d\\d)T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d)$/i',
      reason: 'Text before or after an instant is no date either.',
    },
    {
      line: 'const INSTANT = «/^(\\d{4}-\\d\\d-\\d\\d)T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d)$/i»;',
      mutator: 'Regex',
      replacement: '/^(\\d{4}-\\d\\d-\\d\\d)T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d)/i',
      reason: 'Text before or after an instant is no date either.',
    },
  ]),
  ...inFile('use-cases/list-changes.ts', [
    {
      line: 'if («leftDivisionId === readerDivisionId» && divisionId !== readerDivisionId) {',
      mutator: 'ConditionalExpression',
      replacement: 'true',
      reason: 'The feed of a division has no entry about two others.',
    },
    {
      line: 'next: «page.next === null» ? null : inDivision(divisionId, page.next),',
      mutator: 'ConditionalExpression',
      replacement: 'false',
      reason: 'The condition only narrows the type: null stays null.',
    },
  ]),
];
