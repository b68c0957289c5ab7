import { USER_READ_ONLY } from '../fields/user-checks.ts';
import { fieldRights, policy, publicActions } from './policy.ts';
import type { FieldTarget, PolicyRow, Rule } from './rules.ts';

/** One action of the access table, in words. */
export interface DescribedAction {
  /** The name of the policy's row, the use case and the API's operation. */
  readonly action: string;
  /** Who may do it. */
  readonly who: string;
  /** Who is told that they may not; to all others the target does not exist. */
  readonly knownTo: string;
}

/** One field of a user in the access table, in words. */
export interface DescribedField {
  /** The field's name in the domain. */
  readonly field: string;
  /** Who may write it, among those who may create or update the user. */
  readonly who: string;
}

/** The access table, made of the rules that decide. */
export interface DescribedPolicy {
  readonly actions: readonly DescribedAction[];
  readonly fields: readonly DescribedField[];
}

const ANYBODY = 'anybody, signed in or not';

/** Describes every action and every field of a user, in the order of the rules. */
export const describePolicy = (): DescribedPolicy => ({
  actions: [
    ...Object.entries(policy).map(([action, { allows, canSee }]: [string, PolicyRow<never>]) => ({
      action,
      who: allows.description,
      knownTo: canSee.description,
    })),
    ...publicActions.map((action) => ({ action, who: ANYBODY, knownTo: ANYBODY })),
  ],
  fields: [
    ...Object.entries(fieldRights).map(([field, { description }]: [string, Rule<FieldTarget>]) => ({
      field,
      who: description,
    })),
    ...USER_READ_ONLY.map((field) => ({ field, who: 'nobody' })),
  ],
});

/** A name of the domain in plain words: `dateJoined` is "date joined". */
export const inPlainWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The access table as two Markdown tables with even columns, which a terminal shows as well as a browser does. */
export const policyTable = ({ actions, fields }: DescribedPolicy): string =>
  [
    markdownTable([
      ['Action', 'Who may do it', 'Who may know of its target'],
      ...actions.map(({ action, who, knownTo }) => [inPlainWords(action), who, knownTo]),
    ]),
    markdownTable([
      ['Field of a user', 'Who may write it'],
      ...fields.map(({ field, who }) => [inPlainWords(field), who]),
    ]),
  ].join('\n');

/** A Markdown table with even columns; the first row is its head. Every line ends with a line feed. */
export const markdownTable = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], filler = ' '): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(' | ')} |\n`;
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...body.map((row) => line(row)),
  ].join('');
};
