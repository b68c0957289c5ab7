import { createHash } from 'node:crypto';
import { LOGIN_LIMITS, type LoginLimits, type LoginSubject } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import { limited, NOW, take } from './counter.ts';

const reached = (key: string, limit: string): string =>
  `select expire from login_limit where key = ${key} and points >= ${limit}::int and expire > ${NOW}`;

// $1 and $2 are the keys of subject and network, $3 and $4 their limits, $5 the window in milliseconds. The subject comes
// first, and only where the network is not full: in either case a refusal writes nothing.
const BEGIN = {
  name: 'begin-login-attempt',
  text: `with subject as (
      ${take({ key: '$1', limit: '$3', window: '$5', condition: `not exists (${reached('$2', '$4')})` })}
      returning expire
    ), network as (
      ${take({ key: '$2', limit: '$4', window: '$5', condition: 'exists (select from subject)' })}
      returning expire
    )
    select (select expire::float8 from subject), (select expire::float8 from network),
      (select (max(expire) - ${NOW})::float8 from (${reached('$1', '$3')} union all ${reached('$2', '$4')}) full_counters)`,
};

// The end of the window tells it from the next one, in which a point would be one that was never taken.
const GIVE_BACK = {
  name: 'give-back-login-attempt',
  text: 'update login_limit set points = points - 1 where key = $1 and expire = $2 and points > 0',
};

const CLEAR = { name: 'clear-login-attempts', text: 'delete from login_limit where key = $1' };

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('base64url');

// The keys of usernames and networks are those of release 0.1.0, so that both count together.
const keyOf = (subject: LoginSubject, network: string): string =>
  'username' in subject ? `u:${digestOf(subject.username, network)}` : `p:${digestOf(subject.userId, network)}`;

/** Counts in PostgreSQL, so that all instances share the limits. */
export const makeLoginLimits = (runner: Runner): LoginLimits => ({
  begin: async (subject, network) => {
    const [ofSubject, ofNetwork] = [keyOf(subject, network), `n:${digestOf(network)}`];
    const { windowSeconds } = LOGIN_LIMITS;
    const values = [ofSubject, ofNetwork, LOGIN_LIMITS.ofSubject, LOGIN_LIMITS.ofNetwork, windowSeconds * 1000];
    const [row] = await runner.query<readonly (number | null)[]>(BEGIN, values);
    const [subjectEnd = null, networkEnd = null, wait = null] = row ?? [];
    if (networkEnd === null) {
      // Another attempt took the network's last point between the look at it and the turn of this one.
      if (subjectEnd !== null) await runner.query(GIVE_BACK, [ofSubject, subjectEnd]);
      throw limited(wait, windowSeconds);
    }
    return {
      succeeded: async () => {
        await runner.query(CLEAR, [ofSubject]);
        await runner.query(GIVE_BACK, [ofNetwork, networkEnd]);
      },
      withdraw: async () => {
        await runner.query(GIVE_BACK, [ofSubject, subjectEnd]);
        await runner.query(GIVE_BACK, [ofNetwork, networkEnd]);
      },
    };
  },
});
