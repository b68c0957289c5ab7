import { aDivision } from '@chapter/domain/testing';

/** Returns the values of a new division for the ORM. */
export const divisionNamed = (name: string) => {
  const { id } = aDivision();
  const nulls = { logo: null, logoKey: null, fanpage: null, fanpageKey: null };
  return { id, name, nameKey: name.toLowerCase(), ...nulls, version: 1, nameVersion: 1 };
};
