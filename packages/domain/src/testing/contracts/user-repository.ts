import type { ContractCase } from './contract-case.ts';
import { eachUserField } from './each-field.ts';
import { lastLeaders } from './last-leaders.ts';
import { usersChanged } from './users-changed.ts';
import { usersCreated } from './users-created.ts';
import { usersCreatedOnce } from './users-created-once.ts';
import { usersDeleted } from './users-deleted.ts';
import { usersMoved } from './users-moved.ts';
import { usersRaced } from './users-raced.ts';

/** Contract cases for every user repository, apart from its lists. */
export const userRepositoryContract: readonly ContractCase[] = [
  ...usersCreated,
  ...usersCreatedOnce,
  ...usersChanged,
  ...eachUserField,
  ...lastLeaders,
  ...usersDeleted,
  ...usersMoved,
  ...usersRaced,
];
