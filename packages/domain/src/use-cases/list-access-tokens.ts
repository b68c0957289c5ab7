import type { PersonalToken } from '../model/personal-token.ts';
import type { Caller, UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { PersonalTokens } from '../ports/personal-tokens.ts';
import type { UserRepository } from '../ports/user-repository.ts';

/** Lists the personal access tokens of a user, newest first, without their secrets. @throws DomainError like `authorize`. */
export const makeListAccessTokens =
  ({ personalTokens, users }: { personalTokens: PersonalTokens; users: UserRepository }) =>
  async (caller: Caller, userId: UserId): Promise<readonly PersonalToken[]> => {
    authorizedUser(caller, 'listAccessTokens', await users.find(userId));
    return personalTokens.list(userId);
  };
