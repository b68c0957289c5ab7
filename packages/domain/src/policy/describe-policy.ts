import { USER_READ_ONLY } from '../fields/user-checks.ts';
import { fieldRights, policy, publicActions } from './policy.ts';
import type { FieldTarget, PolicyRow, Rule } from './rules.ts';

/** An action of the access table, described for people. */
export interface DescribedAction {
  /** The name of the policy's row, the use case and the API operation. */
  readonly action: string;
  /** Who may perform it. */
  readonly who: string;
  /** Who gets 403 instead of 404 if they may not perform it. */
  readonly knownTo: string;
}

/** A field of a user in the access table, described for people. */
export interface DescribedField {
  /** The field's domain name. */
  readonly field: string;
  /** Who may write it, among those who may create or update the user. */
  readonly who: string;
}

/** The access table, derived from the rules. */
export interface DescribedPolicy {
  readonly actions: readonly DescribedAction[];
  readonly fields: readonly DescribedField[];
}

const ANYONE = 'anyone, authenticated or not';

/** Describes every action and every field of a user, in the order of the rules. */
export const describePolicy = (): DescribedPolicy => ({
  actions: [
    ...Object.entries(policy).map(([action, { allows, canSee }]: [string, PolicyRow<never>]) => ({
      action,
      who: allows.description,
      knownTo: canSee.description,
    })),
    ...publicActions.map((action) => ({ action, who: ANYONE, knownTo: ANYONE })),
  ],
  fields: [
    ...Object.entries(fieldRights).map(([field, { description }]: [string, Rule<FieldTarget>]) => ({
      field,
      who: description,
    })),
    ...USER_READ_ONLY.map((field) => ({ field, who: 'no one' })),
  ],
});

/** Converts a domain name to plain words: `dateJoined` to "date joined". */
export const toPlainWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Formats the access table as two Markdown tables with aligned columns, readable in a terminal too. */
export const policyTable = ({ actions, fields }: DescribedPolicy): string =>
  [
    markdownTable([
      ['Action', 'Who may do it', 'Who may know of its target'],
      ...actions.map(({ action, who, knownTo }) => [toPlainWords(action), who, knownTo]),
    ]),
    markdownTable([
      ['Field of a user', 'Who may write it'],
      ...fields.map(({ field, who }) => [toPlainWords(field), who]),
    ]),
  ].join('\n');

/** Formats rows as a Markdown table with aligned columns; the first row is the header. Every line ends with a newline. */
export const markdownTable = (rows: readonly (readonly string[])[]): string => {
  const [header = [], ...body] = rows;
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], filler = ' '): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(' | ')} |\n`;
  return [
    line(header),
    line(
      header.map(() => ''),
      '-',
    ),
    ...body.map((row) => line(row)),
  ].join('');
};
