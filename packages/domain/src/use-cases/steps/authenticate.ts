import { invalidToken } from '../../model/errors.ts';
import { type Actor, type Caller, makeActor, type Origin, type UserId } from '../../model/user.ts';
import type { AccessTokens } from '../../ports/access-tokens.ts';
import type { ActorDirectory } from '../../ports/actor-directory.ts';

/** The caller that a valid access token identifies. */
export interface IdentifiedCaller {
  readonly userId: UserId;
  /** Reads the caller's current rights. @throws DomainError `invalid_token` if the user or session has ended. */
  readonly readRights: (origin: Origin) => Promise<Actor>;
}

/**
 * Returns the caller of an access token: the token identifies the user, the database provides the current rights.
 *
 * @throws DomainError `invalid_token` if the token is invalid.
 */
export type Authenticate = (token: string) => Promise<IdentifiedCaller>;

/** Makes the authentication of callers. */
export const makeAuthenticate =
  ({ accessTokens, actors }: { accessTokens: AccessTokens; actors: ActorDirectory }): Authenticate =>
  async (token) => {
    const { sub, sid } = await accessTokens.verify(token);
    return {
      userId: sub,
      readRights: async (origin) => {
        const actor = await actors.find(sub, sid);
        if (!actor) throw invalidToken();
        return makeActor({ ...actor, sessionId: sid, origin });
      },
    };
  };

/** A caller, perhaps one whose current rights are still being read. */
export type PendingCaller<C extends Caller | null = Caller> = C | Promise<C>;

/**
 * Waits for a caller and a target that are looked up at the same time, so that both share a round trip. The errors of the caller
 * come first.
 */
export const callerAndTarget = async <C extends Caller | null, Target>(
  caller: PendingCaller<C>,
  target: Promise<Target>,
): Promise<readonly [C, Target]> => {
  // Reported by the `await` below, unless the caller has an error.
  target.catch(() => {});
  return [await caller, await target];
};
