import { execFileSync } from 'node:child_process';

/** The ids of a user of the operating system. */
export interface UnprivilegedUser {
  readonly uid: number;
  readonly gid: number;
}

const id = (flag: '-u' | '-g', name: string): number =>
  Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));

/** Returns the user for running PostgreSQL, which refuses to run as root. Undefined unless this process runs as root. */
export const unprivilegedUser = (): UnprivilegedUser | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  try {
    return { uid: id('-u', 'postgres'), gid: id('-g', 'postgres') };
  } catch {
    return { uid: id('-u', 'nobody'), gid: id('-g', 'nobody') };
  }
};
