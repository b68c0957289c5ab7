import { Client } from 'pg';

// Everybody who uses the server holds this lock together with the others, on a connection kept for it; who then gets it
// alone is the last. A process that is killed lets go of it with its connection.
const LOCK = 0x63686170; // "chap"

/** One process's use of the embedded PostgreSQL. */
export interface Presence {
  readonly client: Client;
  /**
   * Lets go. True: no other process uses the server, and none can join before this connection ends. After false, a
   * further call only asks again.
   */
  readonly leave: () => Promise<boolean>;
  readonly end: () => Promise<void>;
}

/** Why a server could not be joined: none listens, or one does that is starting or stopping. */
export type Absence = 'absent' | 'busy';

const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOENT']);

/** Undefined where the server says no for good: the login is wrong. PostgreSQL, appendix A, class 28. */
const absenceIn = (error: unknown): Absence | undefined => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('28')) return undefined;
  return UNREACHABLE.has(code) ? 'absent' : 'busy';
};

const single = async (client: Client, expression: string): Promise<boolean> => {
  const { rows } = await client.query<{ got: boolean }>(`select ${expression}(${LOCK}) as got`);
  return rows[0]?.got === true;
};

/** Joins those who use the server at `url`. Throws what the server says where it does not let us in for good. */
export const join = async (url: string): Promise<Presence | Absence> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000, keepAlive: true });
  client.on('error', () => {}); // the end of the connection says the same
  const end = (): Promise<void> => client.end().catch(() => {});
  try {
    await client.connect();
    if (!(await single(client, 'pg_try_advisory_lock_shared'))) {
      await end();
      return 'busy';
    }
  } catch (error) {
    await end();
    const absence = absenceIn(error);
    if (absence) return absence;
    throw error;
  }
  let isShared = true;
  const leave = async (): Promise<boolean> => {
    if (isShared) await single(client, 'pg_advisory_unlock_shared');
    isShared = false;
    return single(client, 'pg_try_advisory_lock');
  };
  return { client, leave, end };
};
