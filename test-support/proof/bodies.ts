import { ABSENT, OTHER, OWN } from './states.ts';

/** The current password of every user in the comparisons with Cedar. */
export const PASSWORD = 'a present secret';

/** A body of a request, by the names of the API. */
export type Body = Readonly<Record<string, unknown>>;

const password = 'an uncommon one';

/** Bodies that need different rights. Some end a leadership. */
export const rightsBodies: readonly Body[] = [
  {},
  { first_name: 'Ada' },
  { password, current_password: PASSWORD },
  { groups: [] },
  { groups: ['Leader', 'Guest', 'User'] },
  { is_active: false },
  { division: OWN },
];

/** A body for every field and every kind of value that the contract distinguishes, and some with several fields. */
export const updateBodies: readonly Body[] = [
  ...rightsBodies,
  { username: 'renamed' },
  { email: 'renamed@example.org' },
  { last_name: 'Lovelace' },
  { birthdate: '1990-12-10' },
  { password },
  { password, current_password: 'a wrong one' },
  { groups: ['Leader'] },
  { is_active: true },
  { division: OWN.toUpperCase() },
  { division: OTHER },
  { division: ABSENT },
  { division: 'no-uuid' },
  { id: ABSENT },
  { date_joined: '2020-01-01T00:00:00.000Z' },
  { is_staff: true },
  { is_superuser: true },
  { groups: [], is_active: false, division: OTHER, password, is_staff: true },
  { password, is_superuser: true, division: 'no-uuid', last_name: 'Lovelace' },
];

const completed = (body: Body): Body => ({ username: 'newcomer', password, ...body });

/** Bodies of a creation. A new user has no current password. */
export const creationBodies: readonly Body[] = updateBodies
  .filter((body) => !('current_password' in body))
  .map(completed);
