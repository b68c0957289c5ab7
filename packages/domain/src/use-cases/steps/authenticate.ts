import { invalidToken } from '../../model/errors.ts';
import type { Actor, Origin } from '../../model/user.ts';
import type { AccessTokens } from '../../ports/access-tokens.ts';
import type { ActorDirectory } from '../../ports/actor-directory.ts';

/**
 * Finds out who presents an access token and what they may do now: the token says who, the database says what.
 *
 * @throws DomainError `invalid_token` for a token that is none of ours, and when user or session have ended.
 */
export const makeAuthenticate =
  ({ accessTokens, actors }: { accessTokens: AccessTokens; actors: ActorDirectory }) =>
  async (token: string, origin: Origin): Promise<Actor> => {
    const { sub, sid } = await accessTokens.verify(token);
    const actor = await actors.find(sub, sid);
    if (!actor) throw invalidToken();
    return { ...actor, sessionId: sid, origin };
  };

/** Finds out who presents an access token, with the ports bound. */
export type Authenticate = ReturnType<typeof makeAuthenticate>;
