import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { OperatorError } from '../errors/operator-error.ts';

/** A user of the operating system by numeric IDs. */
export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

const findUser = (name: string): UnixUser | undefined => {
  const id = (flag: '-u' | '-g'): number =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
};

/**
 * Returns the user to run PostgreSQL as; undefined for the user of this process. PostgreSQL refuses to run as root. A process
 * of root therefore runs it as the owner of its files or, if there are no files yet, as an unprivileged user.
 *
 * @throws OperatorError if there is no unprivileged user.
 */
export const serverUser = (cluster: string): UnixUser | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = findUser('postgres') ?? findUser('nobody');
  if (user) return user;
  throw new OperatorError('The embedded PostgreSQL cannot run as root; create a user named postgres.');
};
