import { spawnSync } from 'node:child_process';
import { query } from '../query.ts';

/** Returns the reason why the installed pg_dump cannot read the server, or undefined. */
export const cannotDump = async (url: string): Promise<string | undefined> => {
  const { stdout, status } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return 'pg_dump is not installed';
  const installed = Number(/(\d+)(?:\.|devel|beta|rc)/.exec(stdout)?.[1]);
  const [server] = await query(url, `select current_setting('server_version_num')::int / 10000 as major`);
  const major = Number(server?.['major']);
  return installed < major ? `the installed pg_dump ${installed} does not read PostgreSQL ${major}` : undefined;
};
