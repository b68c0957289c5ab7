import type { BulkDivision, BulkRow, BulkUser } from '../../src/index.ts';

/** Yields complete rows of a file, from line 2 on. */
export async function* rowsOf<T>(...rows: readonly Partial<T>[]): AsyncGenerator<BulkRow<T>> {
  for (const [at, values] of rows.entries()) yield { line: at + 2, complete: true, values };
}

/** Yields new divisions with the given names and ids. */
export const divisionRows = (...divisions: readonly (readonly [id: string, name: string])[]) =>
  rowsOf<BulkDivision>(...divisions.map(([id, name]) => ({ id, name, logo: null, fanpage: null })));

/** Returns an active user without names and password, in the group User. */
export const bulkUser = (
  names: Pick<BulkUser, 'id' | 'username' | 'divisionId'>,
  values: Partial<BulkUser> = {},
): Partial<BulkUser> => ({
  ...names,
  email: null,
  firstName: '',
  lastName: '',
  groups: ['User'],
  birthdate: null,
  isActive: true,
  isStaff: false,
  isSuperuser: false,
  dateJoined: '2026-01-01T00:00:00.000Z',
  passwordHash: null,
  ...values,
});
