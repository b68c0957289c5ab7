import { randomBytes, randomInt } from 'node:crypto';
import {
  CHANGEABLE_USER_FIELDS,
  type FieldKind,
  passwordRule,
  snakeCase,
  userChangeChecks,
  userFields,
} from '@chapter/domain/api';

/** Fields whose few values cannot be told from those of other users, or are ids, which remain. */
const INDISTINCT: ReadonlySet<FieldKind> = new Set<FieldKind>(['boolean', 'groups', 'division', 'uuid']);

/** Returns a text that occurs nowhere else. */
export const uniqueText = (label: string): string => `${label.toLowerCase()}-${randomBytes(6).toString('hex')}`;

const digits = (count: number): string => Array.from({ length: count }, () => randomInt(1, 10)).join('');

const checks = userChangeChecks({ today: () => '2026-01-01', passwordMinLength: passwordRule.min });

/** Returns a value that occurs nowhere else and that the check of the field accepts. */
const uniqueValue = (field: keyof typeof checks & keyof typeof userFields): string => {
  const label = uniqueText(field);
  const date = `19${randomInt(1, 10)}${randomInt(0, 10)}-0${randomInt(1, 10)}-${randomInt(10, 29)}`;
  const candidates = [
    label,
    `${label}@example.org`,
    `https://example.org/${label}`,
    `+${digits(15)}`,
    digits(12),
    date,
  ];
  const accepted = candidates.find((candidate) => 'value' in checks[field](candidate));
  if (accepted === undefined) throw new Error(`add a candidate that the check of ${field} accepts`);
  return accepted;
};

/** Returns unique values for all fields of a user that a caller may change, in the spelling of the API. */
export const plantedFields = (): Readonly<Record<string, string>> => {
  const fields = CHANGEABLE_USER_FIELDS.filter(
    (field) => userFields[field].changedBy === 'caller' && !INDISTINCT.has(userFields[field].kind),
  );
  return Object.fromEntries(
    fields.map((field) => [snakeCase(field), uniqueValue(field as keyof typeof checks & keyof typeof userFields)]),
  );
};
