import { invalidToken } from '../model/errors.ts';
import type { Actor, UserId } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { PublicAddress } from '../ports/public-address.ts';
import type { UserRepository } from '../ports/user-repository.ts';

/** What a caller learns of themself and of the service. Specification, section 4.12. */
export interface Info {
  readonly id: UserId;
  readonly username: string;
  readonly divisionName: string;
  /** The server's address in the world, or null while it is unknown. */
  readonly publicIp: string | null;
}

/** Tells callers who they are and where the service is. @throws DomainError by {@link authorize}. */
export const makeGetInfo =
  ({ users, publicAddress }: { users: UserRepository; publicAddress: PublicAddress }) =>
  async (actor: Actor): Promise<Info> => {
    authorize(actor, 'getInfo', {});
    const user = await users.find(actor.id);
    // Deleted since the token was checked.
    if (!user) throw invalidToken();
    return {
      id: user.id,
      username: user.username,
      divisionName: user.division.name,
      publicIp: publicAddress.current(),
    };
  };
