import { hash, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { signToken } from '../data/keys.ts';
import { hashPassword, isPassword, type ScryptParameters } from './passwords.ts';
import { statements } from './statements.ts';

/** Logs in: one trip for the hash, scrypt, one trip for the session. */
export const makeLogIn =
  (pool: Pool, key: KeyObject, parameters: ScryptParameters) =>
  async ({ username = '', password = '' }: Record<string, string>): Promise<string> => {
    const found = await pool.query<string[]>({ ...statements.credentials, values: [username.toLowerCase()] });
    const [sub, name, divisionId, groups = '{}', isStaff, isSuperuser, stored] = found.rows[0] ?? [];
    // Nobody is told apart from a wrong password by the time that it takes.
    const matches = stored ? await isPassword(password, stored) : void (await hashPassword(password, parameters));
    const [sid, refresh] = [randomUUID(), randomBytes(32).toString('base64url')];
    const values = [sid, sub, stored, hash('sha256', refresh, 'hex')];
    const { rows } = matches ? await pool.query<string[]>({ ...statements.startSession, values }) : { rows: [] };
    if (rows.length === 0) return '{}';
    const claims = { sub, sid, username: name, division_id: divisionId, groups: groups.slice(1, -1).split(',') };
    const token = signToken(key, { ...claims, is_staff: isStaff === 't', is_superuser: isSuperuser === 't' }, 86_400);
    return `{"access_token":"${token}","token_type":"Bearer","expires_in":86400,"refresh_token":"${refresh}","refresh_expires_in":1209600}`;
  };
