import { spawnSync } from 'node:child_process';

/** The environment with the folder in PATH where Debian installs servers. */
export const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };

/** Whether a command that prints a version succeeds. */
export const isInstalled = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { env }).status === 0;
