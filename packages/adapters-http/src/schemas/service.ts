import { Type } from 'typebox';
import { closed } from './closed.ts';
import { GroupName, Id } from './fields.ts';
import { nullable } from './nullable.ts';

/** All groups. Contract, section 4. */
export const GroupList = Type.Array(Type.Object({ name: GroupName, description: Type.String() }, closed));

/** What a caller learns of themself and of the service. Specification, section 4.12. */
export const Info = Type.Object(
  { id: Id, username: Type.String(), division_name: Type.String(), public_ip: nullable(Type.String()) },
  closed,
);
