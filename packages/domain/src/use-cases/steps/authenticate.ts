import { invalidToken } from '../../model/errors.ts';
import type { Actor, Origin } from '../../model/user.ts';
import type { AccessTokens } from '../../ports/access-tokens.ts';
import type { ActorDirectory } from '../../ports/actor-directory.ts';

/**
 * Returns the actor of an access token: the token identifies the user, the database provides the current rights.
 *
 * @throws DomainError `invalid_token` if the token is invalid, or if the user or session has ended.
 */
export const makeAuthenticate =
  ({ accessTokens, actors }: { accessTokens: AccessTokens; actors: ActorDirectory }) =>
  async (token: string, origin: Origin): Promise<Actor> => {
    const { sub, sid } = await accessTokens.verify(token);
    const actor = await actors.find(sub, sid);
    if (!actor) throw invalidToken();
    return { ...actor, sessionId: sid, origin };
  };

/** Returns the actor of an access token, with the ports bound. */
export type Authenticate = ReturnType<typeof makeAuthenticate>;
