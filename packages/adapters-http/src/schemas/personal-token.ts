import { PERSONAL_TOKEN_PATTERN, PERSONAL_TOKEN_RULES } from '@chapter/domain/api';
import { Type } from 'typebox';
import { Instant, nullableSchema, objectSchema, PersonalTokenId, textSchema } from './fields.ts';

const name = {
  ...textSchema(PERSONAL_TOKEN_RULES.name, 'attendance script'),
  description: 'By which you recognize the token in the list.',
};
const readOnly = Type.Boolean({
  description: 'Whether the token permits only GET and HEAD; false by default.',
  examples: [true],
});

const expiresAt = { ...Instant, examples: ['2026-12-31T00:00:00.000Z'] };

/** The body that creates a personal access token. */
export const NewPersonalToken = objectSchema({
  name,
  expires_at: {
    ...expiresAt,
    description: `When the token stops working: in the future, at most ${PERSONAL_TOKEN_RULES.maxDays} days from now.`,
  },
  read_only: Type.Optional(readOnly),
});

const shown = {
  id: PersonalTokenId,
  name,
  read_only: readOnly,
  created_at: Instant,
  expires_at: expiresAt,
  last_used_on: nullableSchema(
    Type.String({
      format: 'date',
      description: 'The day (UTC) of the last request with the token.',
      examples: ['2026-02-03'],
    }),
  ),
};

/** The caller's personal access tokens (contract §11). */
export const PersonalTokenList = Type.Array(objectSchema(shown), { maxItems: PERSONAL_TOKEN_RULES.maxPerUser });

/** A new personal access token, whose secret is shown once (contract §11). */
export const CreatedPersonalToken = objectSchema({
  ...shown,
  token: Type.String({
    pattern: `^${PERSONAL_TOKEN_PATTERN}$`,
    description: 'The secret to send as `Authorization: Bearer …`. No other response contains it.',
    examples: [`chapter_pat_${'5c0ffee5'.repeat(9)}`],
  }),
});
