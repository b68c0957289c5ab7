import type { KeyObject } from 'node:crypto';
import type { Client } from 'pg';
import { signToken, TOKEN_LIFETIME } from './keys.ts';
import { type Person, personOf, type Size, staffOf } from './people.ts';

/** Somebody with a session. */
export interface Caller extends Person {
  readonly token: string;
  /** The number of their division. */
  readonly division: number;
}

/** Who makes the requests: Leaders and Guests, by whether their division is the deep one. */
export interface Callers {
  readonly leaders: readonly Caller[];
  readonly staff: readonly Caller[];
  readonly deepStaff: readonly Caller[];
}

const START = `insert into session (id, user_id, started_at, expires_at)
  select gen_random_uuid(), user_id, now(), now() + interval '14 days' from unnest($1::uuid[]) user_id
  returning id, user_id`;

/** Begins a session for every Leader and Guest, and signs a token for each. */
export const startSessions = async (client: Client, size: Size, key: KeyObject): Promise<Callers> => {
  const many = size.divisions * size.members;
  const ordinary = Array.from({ length: 2 * size.divisions }, (_, at) => at);
  const deep = Array.from({ length: 2 * staffOf(size, size.divisions) }, (_, at) => many + at);
  const people = new Map([...ordinary, ...deep].map((at) => [personOf(size, at).id, at]));
  const { rows } = await client.query<{ id: string; user_id: string }>(START, [[...people.keys()]]);
  const callers = rows.map(({ id: sid, user_id: sub }): Caller => {
    const at = people.get(sub) ?? 0;
    const person = personOf(size, at);
    const claims = { username: person.username, division_id: person.divisionId, groups: [person.groups.slice(1, -1)] };
    const token = signToken(key, { sub, sid, ...claims, is_staff: false, is_superuser: false }, TOKEN_LIFETIME);
    return Object.assign(person, { token, division: at < many ? at % size.divisions : size.divisions });
  });
  const staff = callers.filter(({ division }) => division < size.divisions);
  return {
    staff,
    leaders: staff.filter(({ groups }) => groups === '{Leader}'),
    deepStaff: callers.filter(({ division }) => division === size.divisions),
  };
};
