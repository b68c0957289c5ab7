import { foldCase, type User } from '@chapter/domain/ports';
import { storeDivision } from '@chapter/domain/testing';
import type { PostgresWorld } from './use-world.ts';

const INSERT = `insert into user_account (id, username, username_key, email, email_key, first_name, first_name_key, last_name,
    last_name_key, division_id, groups, birthdate, is_active, is_staff, is_superuser, date_joined)
  select id, username, username_key, email, email_key, first_name, first_name_key, last_name,
    last_name_key, division_id, groups, birthdate, is_active, is_staff, is_superuser, date_joined
  from json_populate_recordset(null::user_account, $1)`;

const rowOf = (user: User) => ({
  id: user.id,
  username: user.username,
  username_key: foldCase(user.username),
  email: user.email,
  email_key: user.email === null ? null : foldCase(user.email),
  first_name: user.firstName,
  first_name_key: foldCase(user.firstName),
  last_name: user.lastName,
  last_name_key: foldCase(user.lastName),
  division_id: user.division.id,
  groups: user.groups,
  birthdate: user.birthdate,
  is_active: user.isActive,
  is_staff: user.isStaff,
  is_superuser: user.isSuperuser,
  date_joined: user.dateJoined,
});

/** Stores users as the service does, in one statement. Their divisions must be new. */
export const storeAll = async (world: PostgresWorld, people: readonly User[]): Promise<void> => {
  const known = new Map(people.map(({ division }) => [division.id, division]));
  for (const division of known.values()) {
    await storeDivision(world, { ...division, logo: null, fanpage: null, revision: '' });
  }
  await world.sql.query(INSERT, [JSON.stringify(people.map(rowOf))]);
};
