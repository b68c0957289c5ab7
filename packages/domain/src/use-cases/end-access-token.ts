import { notFound } from '../model/errors.ts';
import { authorOf, type Caller, type PersonalTokenId, type UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { PersonalTokens } from '../ports/personal-tokens.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { decideTokenEnd } from '../writes/credential-writes.ts';
import type { ReadInput } from './steps/changes.ts';

/** Ends a personal access token of a user. @throws DomainError like `authorize`; `not_found` if the user has no such token. */
export const makeEndAccessToken =
  ({ personalTokens, users }: { personalTokens: PersonalTokens; users: UserRepository }) =>
  async (caller: Caller, userId: UserId, id: PersonalTokenId, readInput: ReadInput<void>): Promise<void> => {
    authorizedUser(caller, 'endAccessToken', await users.find(userId));
    if (!(await personalTokens.list(userId)).some((token) => token.id === id)) throw notFound();
    await readInput();
    await personalTokens.end(authorOf(caller), { userId, id }, (locked) => decideTokenEnd(caller, locked));
  };
