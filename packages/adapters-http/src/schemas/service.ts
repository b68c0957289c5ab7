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
