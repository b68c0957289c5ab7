import { authorOf, type Caller, type UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { LoginLimits } from '../ports/login-limits.ts';
import type { UserRepository } from '../ports/user-repository.ts';

/**
 * Lets a user log in again after too many failures. Returns how many failures were cleared. See contract §6 and §10.
 *
 * @throws DomainError like `authorize`.
 */
export const makeUnlockUser =
  ({ loginLimits, users }: { loginLimits: LoginLimits; users: UserRepository }) =>
  async (caller: Caller, id: UserId): Promise<number> => {
    authorizedUser(caller, 'unlockUser', await users.find(id));
    return loginLimits.unlock(authorOf(caller), id);
  };
