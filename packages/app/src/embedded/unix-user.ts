import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { OperatorError } from '../errors/operator-error.ts';

/** A user of the operating system by number. */
export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

const named = (name: string): UnixUser | undefined => {
  const id = (flag: '-u' | '-g'): number =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
};

/**
 * As whom PostgreSQL runs, which refuses to run as root: where we are root, the owner of its files, or somebody without
 * rights where there are none yet. Undefined: as we do.
 *
 * @throws OperatorError where nobody is there to run it as.
 */
export const serverUser = (cluster: string): UnixUser | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = named('postgres') ?? named('nobody');
  if (user) return user;
  throw new OperatorError('The embedded PostgreSQL cannot run as root, and there is no user postgres or nobody.');
};
