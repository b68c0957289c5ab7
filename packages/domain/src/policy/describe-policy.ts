import { USER_READ_ONLY } from '../fields/user-checks.ts';
import { fieldRights, operatorActions, operatorFields, policy, publicActions } from './policy.ts';
import type { Rule } from './rules.ts';
import type { FieldTarget, PolicyRow } from './targets.ts';

/** An action of the access table, described for people. */
interface DescribedAction {
  /** The name of the policy's row, the use case and the API operation. */
  readonly action: string;
  /** Which users may perform it. */
  readonly who: string;
  /** Whether the operator may perform it. */
  readonly operator: boolean;
  /** Who gets 403 instead of 404 if they may not perform it. */
  readonly knownTo: string;
}

/** A field of a user in the access table, described for people. */
interface DescribedField {
  /** The field's domain name. */
  readonly field: string;
  /** Who may write it, among the users who may create or update the user. */
  readonly who: string;
  /** Whether the operator may write it. */
  readonly operator: boolean;
}

/** The access table, derived from the rules. */
export interface DescribedPolicy {
  readonly actions: readonly DescribedAction[];
  readonly fields: readonly DescribedField[];
}

const ANYONE = 'anyone, authenticated or not';
const NO_ONE = 'no one';

/** Describes every action and every field of a user, in the order of the rules. */
export const describePolicy = (): DescribedPolicy => ({
  actions: [
    ...Object.entries(policy).map(([action, { allows, allowsOperator, canSee }]: [string, PolicyRow<never>]) => ({
      action,
      who: operatorActions.includes(action) ? NO_ONE : allows.description,
      operator: allowsOperator === true,
      knownTo: canSee.description,
    })),
    ...publicActions.map((action) => ({ action, who: ANYONE, operator: true, knownTo: ANYONE })),
  ],
  fields: [
    ...Object.entries(fieldRights).map(([field, { description }]: [string, Rule<FieldTarget>]) => ({
      field,
      who: description,
      operator: operatorFields.includes(field),
    })),
    ...USER_READ_ONLY.map((field) => ({ field, who: NO_ONE, operator: operatorFields.includes(field) })),
  ],
});

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
