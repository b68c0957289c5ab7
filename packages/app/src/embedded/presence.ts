import { Client } from 'pg';

// Each process that uses the server holds this advisory lock in shared mode, on a separate connection. A process that gets
// the lock in exclusive mode is the last user. When a process is killed, its connection ends, which releases the lock.
const PRESENCE_LOCK = 0x63686170; // "chap"

/** One process's use of the embedded PostgreSQL. */
export interface Presence {
  readonly client: Client;
  /**
   * Releases the lock. Returns true if no other process uses the server; none can then join until this connection ends.
   * After false, another call checks again.
   */
  readonly leave: () => Promise<boolean>;
  readonly end: () => Promise<void>;
}

/** Why a server could not be joined: `absent` if none listens, `recovering` if it reports that, `busy` otherwise. */
export type Absence = 'absent' | 'recovering' | 'busy';

const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOENT']);

/** Classifies a connection error. Undefined: the login is wrong, so a retry cannot succeed (PostgreSQL, appendix A, class 28). */
const classifyError = (error: unknown): Absence | undefined => {
  if (!(error instanceof Error)) return 'busy';
  const code = 'code' in error ? String(error.code) : '';
  if (code.startsWith('28')) return undefined;
  if (UNREACHABLE.has(code)) return 'absent';
  // cannot_connect_now: a server that starts, recovers or shuts down. Only the last ends without accepting connections.
  return code === '57P03' && !error.message.includes('shutting down') ? 'recovering' : 'busy';
};

const tryLock = async (client: Client, expression: string): Promise<boolean> => {
  const { rows } = await client.query<{ got: boolean }>(`select ${expression}(${PRESENCE_LOCK}) as got`);
  return rows[0]?.got === true;
};

/** Joins the server at `url` as one of its users. @throws the server's error if it rejects the login. */
export const join = async (url: string): Promise<Presence | Absence> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000, keepAlive: true });
  client.on('error', () => {}); // the event `end` follows and is handled
  const end = (): Promise<void> => client.end().catch(() => {});
  try {
    await client.connect();
    if (!(await tryLock(client, 'pg_try_advisory_lock_shared'))) {
      await end();
      return 'busy';
    }
  } catch (error) {
    await end();
    const absence = classifyError(error);
    if (absence) return absence;
    throw error;
  }
  let isShared = true;
  const leave = async (): Promise<boolean> => {
    if (isShared) await tryLock(client, 'pg_advisory_unlock_shared');
    isShared = false;
    return tryLock(client, 'pg_try_advisory_lock');
  };
  return { client, leave, end };
};
