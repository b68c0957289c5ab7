import { MIGRATIONS } from './migrations/index.ts';

/** One migration to run, and whether it is applied or taken back. */
export interface Step {
  readonly direction: 'up' | 'down';
  readonly name: string;
}

/**
 * Returns the next step up on the way to the migration `last`, given the names that are applied; undefined when there is
 * none. A gap is filled first.
 */
export const nextStepUp = (applied: readonly string[], last: string): Step | undefined => {
  const name = MIGRATIONS.slice(0, MIGRATIONS.indexOf(last) + 1).find((one) => !applied.includes(one));
  return name === undefined ? undefined : { direction: 'up', name };
};

/**
 * Returns the next step down on the way to the migration `last`, or to an empty database for null; undefined when there
 * is none. Migrations of a newer program are left as they are, since this program cannot take them back.
 */
export const nextStepDown = (applied: readonly string[], last: string | null): Step | undefined => {
  const name = applied.findLast((one) => MIGRATIONS.includes(one));
  return name === undefined || name === last ? undefined : { direction: 'down', name };
};
