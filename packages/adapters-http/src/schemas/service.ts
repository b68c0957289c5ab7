import { Type } from 'typebox';
import { closed, GroupName, nullableSchema, UserId } from './fields.ts';

/** All groups (contract §4). */
export const GroupList = Type.Array(
  Type.Object(
    { name: GroupName, description: Type.String({ examples: ['Reads and updates their own user.'] }) },
    closed,
  ),
);

/** The information about the caller and the server (contract §4). */
export const Info = Type.Object(
  {
    id: UserId,
    username: Type.String({ examples: ['ada'] }),
    division_name: Type.String({ examples: ['Riverside'] }),
    public_ip: nullableSchema(Type.String({ examples: ['203.0.113.7'] })),
  },
  closed,
);

const scope = Type.Union([Type.Literal('all'), Type.Array(Type.Record(Type.String(), Type.String()))], {
  description: '`all` targets, or those that have all values of one of these: `id`, and `division_id`.',
  examples: [[{ division_id: '019aa7c2-7f31-7c6e-8a44-3f6d1d0b5e01' }]],
});
const exact = Type.Boolean({
  description: 'Whether you have the right to all of the scope. If not, ask about a target.',
  examples: [true],
});
const field = Type.String({ examples: ['first_name'] });
const action = Type.String({ description: 'An `operationId`.', examples: ['updateUser'] });
const outcome = Type.Enum(['allowed', 'forbidden', 'not_found', 'session_required', 'read_only_token'], {
  type: 'string',
  description: '`allowed`, or the `code` of the refusal.',
  examples: ['allowed'],
});
const reason = Type.String({ examples: ['a Leader of the division may do this'] });

/** The decision about an action on a target (contract §3). */
export const Decision = Type.Object({ action, outcome, reason }, closed);

/** What the caller may do (contract §3). */
export const Permissions = Type.Object(
  {
    actions: Type.Array(Type.Object({ name: action, scope, exact }, closed)),
    writable_fields: Type.Array(Type.Object({ name: field, scope, exact }, closed)),
    target: nullableSchema(
      Type.Object({ decisions: Type.Array(Decision), writable_fields: Type.Array(field) }, closed),
    ),
  },
  closed,
);
