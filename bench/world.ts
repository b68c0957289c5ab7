import { randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Client } from 'pg';
import { MEASURED_ID } from '../test-support/lists/members.ts';

/** A Leader or Guest with a session. */
export interface BenchCaller {
  readonly id: string;
  readonly username: string;
  readonly divisionId: string;
  readonly isLeader: boolean;
  readonly token: string;
  /** Ids of the ordinary members of the caller's division; empty in the large division. */
  readonly members: readonly string[];
}

/** The callers, targets and cursors for the requests. */
export interface BenchWorld {
  /** Callers of the small divisions. */
  readonly staff: readonly BenchCaller[];
  /** The Leaders among `staff`. */
  readonly leaders: readonly BenchCaller[];
  /** Callers of the large division. */
  readonly deepStaff: readonly BenchCaller[];
  /** Cursors of the large division's list, around nine tenths of its length. */
  readonly deepCursors: readonly string[];
}

const ISSUER = 'chapter-membership-service';
const HEADER = { alg: 'EdDSA', kid: 'bench', typ: 'at+jwt' };

/** Makes a key to sign with, and the private JWK set that the service reads it from (RFC 7517). */
export const makeKey = async () => {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: HEADER.kid, alg: HEADER.alg, use: 'sig' };
  return { privateKey, text: JSON.stringify({ keys: [key] }) };
};

/** Signs an access token with these claims, as the service issues it (RFC 9068). It is valid for longer than any run. */
const signToken = (key: CryptoKey, claims: Readonly<Record<string, unknown>>): Promise<string> =>
  new SignJWT({ ...claims, jti: randomUUID(), iss: ISSUER, aud: ISSUER })
    .setProtectedHeader(HEADER)
    .setIssuedAt()
    .setExpirationTime('1 day')
    .sign(key);

const START_SESSIONS = `with ranked as (
    select id, row_number() over (partition by division_id order by id) as rank,
      case division_id when $1 then 20 else 1 end as leaders from user_account
  ), staff as (
    update user_account u set groups = (case when rank <= leaders then '{Leader}' else '{Guest}' end)::member_group[],
      is_active = true, is_staff = false, is_superuser = false
    from ranked r where r.id = u.id and rank <= 2 * leaders returning u.id
  )
  insert into session (id, user_id, started_at, expires_at)
  select gen_random_uuid(), id, now(), now() + interval '14 days' from staff`;

/** Gives a session to one Leader and one Guest of each division, and to 20 each of the large division. */
export const startSessions = async (client: Client): Promise<void> => {
  await client.query(START_SESSIONS, [MEASURED_ID]);
  await client.query('vacuum (analyze)');
};

const CALLERS = `select s.id as sid, c.id, c.username, c.division_id as "divisionId", c.groups = '{Leader}' as "isLeader",
    array(select m.id from user_account m where m.division_id = c.division_id and c.division_id <> $1
      and m.groups = '{User}' order by m.id) as members
  from session s join user_account c on c.id = s.user_id order by c.id`;

/** Reads the callers, and signs a token for each. */
export const readCallers = async (client: Client, key: CryptoKey): Promise<Omit<BenchWorld, 'deepCursors'>> => {
  const { rows } = await client.query<Omit<BenchCaller, 'token'> & { readonly sid: string }>(CALLERS, [MEASURED_ID]);
  const signing = rows.map(async ({ sid, ...caller }): Promise<BenchCaller> => {
    const { id: sub, username, divisionId, isLeader } = caller;
    const claims = { username, division_id: divisionId, groups: [isLeader ? 'Leader' : 'Guest'] };
    const token = await signToken(key, { sub, sid, ...claims, is_staff: false, is_superuser: false });
    return Object.assign(caller, { token });
  });
  const callers = await Promise.all(signing);
  const staff = callers.filter(({ divisionId }) => divisionId !== MEASURED_ID);
  return {
    staff,
    leaders: staff.filter(({ isLeader }) => isLeader),
    deepStaff: callers.filter(({ divisionId }) => divisionId === MEASURED_ID),
  };
};

/** Collects cursors around nine tenths of the caller's list as a client does: from page to page. */
export const collectCursors = async (url: string, token: string, length: number): Promise<readonly string[]> => {
  const size = Math.max(1, Math.min(100, Math.floor(length / 100)));
  const cursors: string[] = [];
  let path: string | null = `/api/users/?page_size=${size}`;
  for (let passed = size; path !== null && passed < length * 0.91; passed += size) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    path = ((await response.json()) as { readonly next: string | null }).next;
    const cursor: string | null = path && new URLSearchParams(path.split('?')[1]).get('cursor');
    if (cursor && passed >= length * 0.89) cursors.push(cursor);
  }
  return cursors;
};
