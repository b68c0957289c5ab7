import type { Client } from 'pg';
import { divisionIdOf, divisionNameOf, personOf, populationOf, type Size } from './people.ts';
import { copyRows, type Row, USERS } from './tables.ts';

const divisionOf = (at: number): Row => [divisionIdOf(at), divisionNameOf(at), divisionNameOf(at).toLowerCase()];

/** Puts people into an empty database of the service, all with one password. */
export const fill = async (client: Client, size: Size, passwordHash: string): Promise<void> => {
  await copyRows(client, 'division (id, name, name_key)', size.divisions + 1, divisionOf);
  const userOf = (at: number): Row => {
    const person = personOf(size, at);
    const { username, email, firstName, lastName, divisionId, groups, birthdate, dateJoined } = person;
    const text = [username, email, firstName, lastName].flatMap((value) => [value, value && value.toLowerCase()]);
    const flags = [String(person.isActive), 'false', 'false'];
    return [person.id, ...text, divisionId, groups, birthdate, ...flags, dateJoined, passwordHash];
  };
  await copyRows(client, USERS, populationOf(size), userOf);
  await client.query('vacuum analyze');
};
