import { invalidToken } from '../model/errors.ts';
import type { Actor, UserId } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { PublicAddress } from '../ports/public-address.ts';
import type { UserRepository } from '../ports/user-repository.ts';

/** Information about the caller and the service. See contract §4. */
export interface Info {
  readonly id: UserId;
  /** The caller's login name. */
  readonly username: string;
  /** The name of the caller's division. */
  readonly divisionName: string;
  /** The server's public address, or null while it is unknown. */
  readonly publicIp: string | null;
}

/** Returns information about the caller and the service. @throws DomainError like {@link authorize}. */
export const makeGetInfo =
  ({ users, publicAddress }: { users: UserRepository; publicAddress: PublicAddress }) =>
  async (actor: Actor): Promise<Info> => {
    authorize(actor, 'getInfo', {});
    const user = await users.find(actor.id);
    // The user was deleted after the token was checked.
    if (!user) throw invalidToken();
    return {
      id: user.id,
      username: user.username,
      divisionName: user.division.name,
      publicIp: publicAddress.current(),
    };
  };
