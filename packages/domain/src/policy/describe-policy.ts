import { USER_READ_ONLY } from '../fields/user-fields.ts';
import { fieldRights, operatorActions, operatorFields, policy, publicActions } from './policy.ts';
import type { Rule } from './rules.ts';
import type { FieldTarget, PolicyRow } from './targets.ts';

const ANYONE = 'anyone, authenticated or not';
const NO_ONE = 'no one';

/** Describes every action and every field of a user for people, in the order of the rules. */
export const describePolicy = () => ({
  actions: [
    ...Object.entries(policy).map(([action, { allows, allowsOperator, canSee }]: [string, PolicyRow<never>]) => ({
      /** The name of the policy's row, the use case and the API operation. */
      action,
      /** Which users may perform it. */
      who: operatorActions.includes(action) ? NO_ONE : allows.description,
      operator: allowsOperator === true,
      /** Who gets 403 instead of 404 if they may not perform it. */
      knownTo: canSee.description,
    })),
    ...publicActions.map((action) => ({ action, who: ANYONE, operator: true, knownTo: ANYONE })),
  ],
  fields: [
    ...Object.entries(fieldRights).map(([field, { description }]: [string, Rule<FieldTarget>]) => ({
      field,
      /** Who may write it, among the users who may create or update the user. */
      who: description,
      operator: operatorFields.includes(field),
    })),
    ...USER_READ_ONLY.map((field) => ({ field, who: NO_ONE, operator: operatorFields.includes(field) })),
  ],
});

/** The access table, derived from the rules. */
export type DescribedPolicy = ReturnType<typeof describePolicy>;

/** Converts a domain name to plain words: `dateJoined` to "date joined". */
export const toPlainWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const yesOrNo = (isTrue: boolean): string => (isTrue ? 'yes' : 'no');

/** Formats the access table as two Markdown tables with aligned columns, readable in a terminal too. */
export const policyTable = ({ actions, fields }: DescribedPolicy): string =>
  [
    markdownTable([
      ['Action', 'Who may do it', 'Operator', 'Who may know of its target'],
      ...actions.map(({ action, who, operator, knownTo }) => [toPlainWords(action), who, yesOrNo(operator), knownTo]),
    ]),
    markdownTable([
      ['Field of a user', 'Who may write it', 'Operator'],
      ...fields.map(({ field, who, operator }) => [toPlainWords(field), who, yesOrNo(operator)]),
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
