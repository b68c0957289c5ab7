import { MIGRATIONS } from './migrations/index.ts';

/** One migration to apply or to revert. */
export interface MigrationStep {
  readonly direction: 'up' | 'down';
  readonly name: string;
}

/**
 * Returns the next step up towards the migration `last`, given the applied names; undefined if there is none. Skipped
 * migrations are applied first.
 */
export const nextStepUp = (applied: readonly string[], last: string): MigrationStep | undefined => {
  const name = MIGRATIONS.slice(0, MIGRATIONS.indexOf(last) + 1).find((one) => !applied.includes(one));
  return name === undefined ? undefined : { direction: 'up', name };
};

/**
 * Returns the next step down towards the migration `last`, or towards an empty database for null; undefined if there is
 * none. Leaves migrations of a newer program alone, because this program cannot revert them.
 */
export const nextStepDown = (applied: readonly string[], last: string | null): MigrationStep | undefined => {
  const name = applied.findLast((one) => MIGRATIONS.includes(one));
  return name === undefined || name === last ? undefined : { direction: 'down', name };
};
