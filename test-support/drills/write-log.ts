import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_PASSWORD as PASSWORD } from '../../packages/app/src/database/demo-data.ts';
import { accessToken, clientOf } from '../client.ts';
import { query } from '../query.ts';

const LOGIN = '/api/auth/login/';
const WRITERS = 3;
/** Milliseconds after which a client gives a request up: more than any deadline of the service. */
const CLIENT_TIMEOUT_MS = 12_000;
/** Milliseconds between two requests of a client, and after a refusal, as clients should. */
const PAUSE_MS = 5;
const REFUSAL_PAUSE_MS = 50;
/** Milliseconds after a drill within which the service must serve again without a restart. */
const RECOVERY_LIMIT_MS = 60_000;

/** What a success was, or a refusal. */
type Kind = 'read' | 'change' | 'refusal';

/** What clients have seen during a drill. */
export interface WriteLog {
  readonly requests: number;
  /** Responses 503. */
  readonly refused: number;
  /** Requests without a response, for instance because the instance was killed. */
  readonly unanswered: number;
  /** Reads that missed an acknowledged change within the time in which the drill allows it. */
  readonly stale: number;
  /** Other responses that the contract does not allow. */
  readonly wrong: readonly string[];
  /** Milliseconds between two successes, at most, and until a refusal. */
  readonly longestMs: Readonly<Record<Kind, number>>;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Requests of users after their suspension was acknowledged, and those that succeeded nevertheless, without the stale ones. */
  readonly suspended: { readonly tried: number; readonly accepted: number };
}

/** Starts clients that log each acknowledged change. A read may be stale for `staleMs` after a change. Addresses have the demo data. */
export const startWriteLog = async (name: string, addresses: readonly string[], staleMs = 0) => {
  let rotation = addresses;
  const stopped = new AbortController();
  const token = await accessToken(rotation[0] ?? '', 'leader', PASSWORD);
  const began = performance.now();
  const latest = { read: began, change: began };
  const longestMs: Record<Kind, number> = { read: 0, change: 0, refusal: 0 };
  const counts = { requests: 0, refused: 0, unanswered: 0, stale: 0 };
  const suspended = { tried: 0, accepted: 0 };
  const wrong: string[] = [];
  /** The values that clients tried to store, and whether the service acknowledged them. */
  const created = new Map<string, boolean>();
  const changed = new Map<string, boolean>();
  /** The birthdates that a user may have in the end, by username. */
  const possible = new Map<string, ReadonlySet<string>>();

  const succeed = (kind: keyof typeof latest): void => {
    const now = performance.now();
    longestMs[kind] = Math.max(longestMs[kind], now - latest[kind]);
    latest[kind] = now;
  };
  /** Sends one request to the next address. Returns undefined if it was refused or not answered, and may be sent again. */
  const send = async (method: string, path: string, body?: unknown, by = token, at = counts.requests) => {
    counts.requests += 1;
    const url = rotation[at % rotation.length] ?? '';
    const headers = {
      // The key makes it safe to repeat a creation. Each login comes from a network of its own, because networks are limited.
      ...(path === '/api/users/' ? { 'Idempotency-Key': JSON.stringify(body) } : {}),
      ...(path === LOGIN ? { 'X-Forwarded-For': `10.${(counts.requests >> 8) & 255}.${counts.requests & 255}.7` } : {}),
    };
    const sentAt = performance.now();
    const sent = clientOf(url, by)(method, path, body, headers).catch(() => undefined);
    const response = await Promise.race([sent, sleep(CLIENT_TIMEOUT_MS, undefined, { ref: false })]);
    if (!response) counts.unanswered += 1;
    else if (response.status === 503) {
      counts.refused += 1;
      longestMs.refusal = Math.max(longestMs.refusal, performance.now() - sentAt);
    } else {
      if (response.status < 300) succeed(method === 'GET' ? 'read' : 'change');
      await sleep(PAUSE_MS);
      return { status: response.status, body: response.body, at: performance.now() };
    }
    await sleep(REFUSAL_PAUSE_MS);
    return undefined;
  };
  /** Counts a read that missed a change, which was acknowledged at a time. */
  const miss = (what: string, acknowledgedAt: number): void => {
    if (performance.now() - acknowledgedAt < staleMs) counts.stale += 1;
    else wrong.push(`missed a change: ${what}`);
  };
  /** Repeats a request until it succeeds or the clients stop. `since` is the time of the change that it depends on. */
  const untilDone = async (since: number, ...request: Parameters<typeof send>) => {
    while (!stopped.signal.aborted) {
      const response = await send(...request);
      if (response && response.status < 300) return response;
      if (response) miss(`${request[0]} ${request[1]}: ${response.status} ${JSON.stringify(response.body)}`, since);
    }
    return undefined;
  };
  const create = async (username: string) => {
    created.set(username, false);
    const done = await untilDone(0, 'POST', '/api/users/', { username, password: PASSWORD });
    if (done) created.set(username, true);
    return done;
  };

  const write = async (client: number): Promise<void> => {
    for (let person = 0; !stopped.signal.aborted; person += 1) {
      const username = `${name}-${client}-${person}`;
      const user = await create(username);
      if (!user) return;
      const path = `/api/users/${user.body.id}`;
      let [stored, storedAt] = ['null', user.at];
      const unknown = new Set<string>();
      for (let turn = 0; turn < 10 && !stopped.signal.aborted; turn += 1) {
        const value = `200${turn}-01-01`;
        changed.set(`${username} ${value}`, false);
        unknown.add(value);
        possible.set(username, new Set([stored, ...unknown]));
        const change = await send('PATCH', path, { birthdate: value });
        if (change?.status === 200) {
          unknown.delete(value);
          changed.set(`${username} ${value}`, true);
          [stored, storedAt] = [value, change.at];
          possible.set(username, new Set([stored, ...unknown]));
        } else if (change) miss(`PATCH ${path}: ${change.status} ${JSON.stringify(change.body)}`, storedAt);
        const one = await send('GET', `${path}/`);
        const found = String(one?.status === 200 ? one.body.birthdate : one?.status);
        if (one && found !== stored && !unknown.has(found)) miss(`GET ${path}/: ${found}, not ${stored}`, storedAt);
        const list = await send('GET', `/api/users/?search=${username}&page_size=1`);
        if (list && list.status !== 200) miss(`GET /api/users/: ${list.status}`, storedAt);
        const listed = String(list?.body.results?.[0]?.birthdate);
        if (list?.status === 200 && listed !== stored && !unknown.has(listed)) {
          miss(`GET /api/users/: ${listed}, not ${stored}`, storedAt);
        }
      }
    }
  };
  const logIn = async (): Promise<void> => {
    while (!stopped.signal.aborted) await untilDone(0, 'POST', LOGIN, { username: 'user', password: PASSWORD });
  };
  const victims: { readonly path: string; readonly token: string; readonly since: number }[] = [];
  /** Suspends one user after the other, at most about two a second. */
  const suspend = async (): Promise<void> => {
    for (let at = 0; !stopped.signal.aborted; at += 1) {
      const username = `${name}-suspended-${at}`;
      const user = await create(username);
      const login = user && (await untilDone(user.at, 'POST', LOGIN, { username, password: PASSWORD }));
      if (!login) return;
      const path = `/api/users/${user.body.id}`;
      const own = String(login.body.access_token);
      await untilDone(login.at, 'GET', `${path}/`, undefined, own);
      const done = await untilDone(user.at, 'PATCH', path, { is_active: false });
      if (done) victims.push({ path: `${path}/`, token: own, since: done.at });
      await sleep(500);
    }
  };
  /** Reads from one address as a user who may, and as those who were suspended last. */
  const read = async (at: number): Promise<void> => {
    while (!stopped.signal.aborted) {
      const own = await send('GET', '/api/auth/user/', undefined, token, at);
      if (own && own.status !== 200) miss(`GET /api/auth/user/: ${own.status}`, 0);
      for (const victim of victims.slice(-3)) {
        const sentAt = performance.now();
        const response = await send('GET', victim.path, undefined, victim.token, at);
        suspended.tried += 1;
        if (response?.status !== 200) continue;
        if (sentAt - victim.since < staleMs) counts.stale += 1;
        else suspended.accepted += 1;
      }
    }
  };
  const working = Promise.all([
    ...Array.from({ length: WRITERS }, (_, client) => write(client)),
    logIn(),
    suspend(),
    read(0),
    read(1),
  ]);

  /** Compares what is stored with what was acknowledged. The audit trail has one entry for each change. */
  const audit = async (url: string) => {
    const rows = await query(
      url,
      `select case action when 'createUser' then username else username || ' ' || (changes->'birthdate'->>'new') end as value, count(*) as count
         from audit_entry join user_account u on u.id = target_id and username like '${name}-%' group by 1`,
    );
    const entries = new Map(rows.map(({ value, count }) => [String(value), Number(count)]));
    const users = await query(
      url,
      `select username, birthdate::text from user_account where username like '${name}-%'`,
    );
    const dates = new Map(users.map(({ username, birthdate }) => [String(username), String(birthdate)]));
    const values = [...created, ...changed];
    const isMissing = ([value, isAcknowledged]: readonly [string, boolean]) => isAcknowledged && !entries.has(value);
    const lost = values.filter(isMissing).map(([value]) => value);
    for (const [username, allowed] of possible)
      if (!allowed.has(dates.get(username) ?? '')) lost.push(`${username}: birthdate`);
    const doubled = values.filter(([value]) => (entries.get(value) ?? 0) > 1).map(([value]) => value);
    return { acknowledged: values.filter(([, isAcknowledged]) => isAcknowledged).length, lost, doubled };
  };

  return {
    /** Replaces the addresses, and waits until no request to another one runs, as a balancer does. */
    rotate: async (...next: readonly string[]): Promise<void> => {
      rotation = next;
      await sleep(200);
    },
    /** Waits until a read and a change have succeeded, and a suspended user was refused; after a minute, that counts as wrong. */
    untilServing: async (): Promise<void> => {
      const since = performance.now();
      while (Math.min(latest.read, latest.change) < since || suspended.tried === 0) {
        if (performance.now() - since > RECOVERY_LIMIT_MS) {
          wrong.push('the service did not recover');
          return;
        }
        await sleep(20);
      }
    },
    /** Stops the clients, and compares the server's data with what it has acknowledged. */
    stop: async (url: string): Promise<WriteLog> => {
      stopped.abort();
      await working;
      for (const kind of ['read', 'change'] as const) {
        longestMs[kind] = Math.max(longestMs[kind], performance.now() - latest[kind]);
      }
      return { ...counts, wrong, longestMs, suspended, ...(await audit(url)) };
    },
  };
};

/** The clients of a drill. */
export type Clients = Awaited<ReturnType<typeof startWriteLog>>;
