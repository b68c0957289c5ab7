import type { ContractCase } from './contract-case.ts';
import { eachUserField } from './each-field.ts';
import { usersCreated } from './users-created.ts';
import { usersCreatedOnce } from './users-created-once.ts';
import { usersKnown } from './users-known.ts';
import { lastLeaders, usersRaced } from './users-raced.ts';
import { usersWritten } from './users-written.ts';

/** Contract cases for every user repository, apart from its lists. */
export const userRepositoryContract: readonly ContractCase[] = [
  ...usersCreated,
  ...usersCreatedOnce,
  ...eachUserField,
  ...lastLeaders,
  ...usersWritten,
  ...usersKnown,
  ...usersRaced,
];
