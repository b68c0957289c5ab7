import { invalidToken } from '../model/errors.ts';
import { type Actor, GROUP_DESCRIPTIONS, GROUPS } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { AccessTokens } from '../ports/tokens.ts';
import type { Ports } from './steps/ports.ts';

/** Returns the public keys that verify access tokens, as a JWK set (RFC 7517), for other services. */
export const makeListKeys =
  ({ accessTokens }: Pick<Ports, 'accessTokens'>) =>
  (): ReturnType<AccessTokens['keys']> =>
    accessTokens.keys();

const described = GROUPS.map((name) => ({ name, description: GROUP_DESCRIPTIONS[name] }));

/** Lists all groups in their fixed order. @throws DomainError like {@link authorize}. */
export const makeListGroups = () => (actor: Actor) => {
  authorize(actor, 'listGroups', {});
  return described;
};

/** Returns information about the caller and the service. Contract §4. @throws DomainError like {@link authorize}. */
export const makeGetInfo =
  ({ users, publicAddress }: Pick<Ports, 'users' | 'publicAddress'>) =>
  async (actor: Actor) => {
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
