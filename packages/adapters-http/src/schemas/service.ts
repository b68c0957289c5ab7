import { Type } from 'typebox';
import { freeText, GroupName, nullableSchema, objectSchema, UserId } from './fields.ts';

/** All groups (contract §4). */
export const GroupList = Type.Array(
  objectSchema({ name: GroupName, description: freeText('Reads and updates their own user.') }),
);

/** The information about the caller and the server (contract §4). */
export const Info = objectSchema({
  id: UserId,
  username: freeText('ada'),
  division_name: freeText('Riverside'),
  public_ip: nullableSchema(freeText('203.0.113.7')),
});

const scope = Type.Union([Type.Literal('all'), Type.Array(Type.Record(Type.String(), Type.String()))], {
  description: '`all` targets, or those that have all values of one of these: `id`, and `division_id`.',
  examples: [[{ division_id: '019aa7c2-7f31-7c6e-8a44-3f6d1d0b5e01' }]],
});
const exact = Type.Boolean({
  description: 'Whether you have the right to all of the scope. If not, ask about a target.',
  examples: [true],
});
const field = freeText('first_name');
const action = freeText('updateUser', 'An `operationId`.');
const outcome = Type.Enum(['allowed', 'forbidden', 'not_found', 'session_required', 'read_only_token'], {
  type: 'string',
  description: '`allowed`, or the `code` of the refusal.',
  examples: ['allowed'],
});
const reason = freeText('a Leader of the division may do this');

/** The decision about an action on a target (contract §3). */
export const Decision = objectSchema({ action, outcome, reason });

/** What the caller may do (contract §3). */
export const Permissions = objectSchema({
  actions: Type.Array(objectSchema({ name: action, scope, exact })),
  writable_fields: Type.Array(objectSchema({ name: field, scope, exact })),
  target: nullableSchema(objectSchema({ decisions: Type.Array(Decision), writable_fields: Type.Array(field) })),
});
