import { divisionRules, EARLIEST_BIRTHDATE, GROUPS, passwordRule, type TextRule, userRules } from '@chapter/domain';
import { Type } from 'typebox';
import { nullable } from './nullable.ts';

const lengths = ({ min, max }: TextRule) => ({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });

/** Returns the schema of a text with the bounds of the domain, which checks the text itself. */
export const textSchema = (rule: TextRule) =>
  Type.String({ ...lengths(rule), ...(rule.pattern ? { pattern: rule.pattern.source } : {}) });

/** A UUID in lower case. */
export const Id = Type.String({ format: 'uuid' });

/** A user's login name. */
export const Username = textSchema(userRules.username);

/** The name of a group. */
export const GroupName = Type.Enum([...GROUPS], { type: 'string' });

/** The groups of a user. */
export const Groups = Type.Array(GroupName, { uniqueItems: true, maxItems: GROUPS.length });

/** A day that lies between the earliest birthdate and today. */
export const Birthdate = Type.String({
  format: 'date',
  description: `A date (YYYY-MM-DD) from ${EARLIEST_BIRTHDATE} to today.`,
});

/** A password, which is only ever sent. */
export const Password = Type.String({
  minLength: passwordRule.min,
  maxLength: passwordRule.max,
  writeOnly: true,
  description: `A new password. The service may be set up to require more than ${passwordRule.min} characters.`,
});

/** A division's name. */
export const DivisionName = textSchema(divisionRules.name);

/** An http or https URL, or null. */
export const Url = nullable(
  Type.String({
    ...lengths(divisionRules.url),
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
    description: 'An http or https URL.',
  }),
);

/** A moment in UTC with milliseconds. */
export const Instant = Type.String({ format: 'date-time' });
