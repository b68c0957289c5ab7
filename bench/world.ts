import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Client } from 'pg';
import { encodeCursor } from '../packages/adapters-http/src/lists/cursor.ts';
import { userListParameters } from '../packages/adapters-http/src/lists/list-parameters.ts';
import { MEASURED_ID } from '../test-support/lists/members.ts';

/** A Leader or Guest with a session. */
export interface BenchCaller {
  readonly id: string;
  readonly divisionId: string;
  readonly isLeader: boolean;
  readonly token: string;
  /** Ids of the ordinary members of the caller's division; empty in the large division. */
  readonly members: readonly string[];
}

/** The callers, targets and positions for the requests. */
export interface BenchWorld {
  /** Callers of the small divisions. */
  readonly staff: readonly BenchCaller[];
  readonly leaders: readonly BenchCaller[];
  /** Callers of the large division. */
  readonly deepStaff: readonly BenchCaller[];
  /** Cursors of the large division's list, around nine tenths of its length. */
  readonly deepCursors: readonly string[];
}

const ISSUER = 'chapter-membership-service';
const HEADER = { alg: 'EdDSA', kid: 'bench', typ: 'at+jwt' };

// One Leader and one Guest of each division get a session, and 20 each of the large division.
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

const CALLERS = `select s.id as sid, c.id, c.username, c.division_id as "divisionId", c.groups = '{Leader}' as "isLeader",
    array(select m.id from user_account m where m.division_id = c.division_id and c.division_id <> $1
      and m.groups = '{User}' order by m.id) as members
  from session s join user_account c on c.id = s.user_id order by c.id`;

type StoredCaller = Omit<BenchCaller, 'token'> & { readonly sid: string; readonly username: string };

const DEEP_POSITIONS = `select joined, id from (
    select to_char(date_joined, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as joined, id,
      percent_rank() over (order by date_joined, id) as part from user_account where division_id = $1
  ) u where part between 0.89 and 0.91`;

// The list of users in its default order. The checksum stays the same from release to release.
const { checksum } = userListParameters.read('', 'listUsers 00000000-0000-0000-0000-000000000000');

/** Starts sessions. Returns the world, and the private JWK set that the service verifies its tokens with (RFC 7517). */
export const startSessions = async (client: Client): Promise<{ readonly world: BenchWorld; readonly keys: string }> => {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: HEADER.kid, alg: HEADER.alg, use: 'sig' };
  await client.query(START_SESSIONS, [MEASURED_ID]);
  await client.query('vacuum (analyze)');
  const { rows } = await client.query<StoredCaller>(CALLERS, [MEASURED_ID]);
  const signing = rows.map(async ({ sid, username, ...caller }): Promise<BenchCaller> => {
    const { id: sub, divisionId, isLeader } = caller;
    const rights = { groups: [isLeader ? 'Leader' : 'Guest'], is_staff: false, is_superuser: false };
    const claims = { sub, sid, username, division_id: divisionId, ...rights, jti: randomUUID() };
    // As the service issues it (RFC 9068), but valid for longer than any run.
    const token = await new SignJWT({ ...claims, iss: ISSUER, aud: ISSUER })
      .setProtectedHeader(HEADER)
      .setIssuedAt()
      .setExpirationTime('1 day')
      .sign(privateKey);
    return Object.assign(caller, { token });
  });
  const callers = await Promise.all(signing);
  const staff = callers.filter(({ divisionId }) => divisionId !== MEASURED_ID);
  const positions = await client.query<{ joined: string; id: string }>(DEEP_POSITIONS, [MEASURED_ID]);
  const world = {
    staff,
    leaders: staff.filter(({ isLeader }) => isLeader),
    deepStaff: callers.filter(({ divisionId }) => divisionId === MEASURED_ID),
    deepCursors: positions.rows.map(({ joined, id }) =>
      encodeCursor(checksum, { side: 'after', inclusive: false, values: [joined, id] }),
    ),
  };
  return { world, keys: JSON.stringify({ keys: [key] }) };
};
