import { invalidToken } from '../../model/errors.ts';
import { isPersonalToken } from '../../model/personal-token.ts';
import { type Actor, type Caller, makeActor, type Origin, type UserId } from '../../model/user.ts';
import { authorizeCredential } from '../../policy/credentials.ts';
import type { ActorDirectory } from '../../ports/session-repository.ts';
import type { Ports } from './ports.ts';

/** The caller that a valid token identifies. */
export interface IdentifiedCaller {
  readonly userId: UserId;
  /**
   * Reads the caller's current rights, and checks whether their credential suffices for the action.
   *
   * @throws DomainError `invalid_token` if the user or session has ended; `session_required` and `read_only_token` for a
   *   personal access token.
   */
  readonly readRights: (origin: Origin, action: string) => Promise<Actor>;
}

/**
 * Returns the caller of a token. An access token identifies the user without a look-up, and the database provides the
 * current rights. A personal access token is looked up, together with the rights.
 *
 * @throws DomainError `invalid_token` if the token is invalid.
 */
export type Authenticate = (token: string) => Promise<IdentifiedCaller>;

const identifyByPersonalToken = async (
  { personalTokens, personalTokenFormat }: Pick<Ports, 'personalTokens' | 'personalTokenFormat'>,
  sent: string,
): Promise<IdentifiedCaller> => {
  // A text with a wrong checksum causes no look-up.
  const digest = personalTokenFormat.digestOf(sent);
  const found = digest === null ? null : await personalTokens.use(digest);
  if (!found) throw invalidToken();
  const { actor, ...token } = found;
  return {
    userId: actor.id,
    readRights: async (origin, action) => {
      const caller = makeActor({ ...actor, token, origin });
      authorizeCredential(caller, action);
      return caller;
    },
  };
};

/** Makes the authentication of callers. */
export const makeAuthenticate =
  ({
    accessTokens,
    actors,
    ...ports
  }: Pick<Ports, 'accessTokens' | 'personalTokens' | 'personalTokenFormat'> & {
    actors: ActorDirectory;
  }): Authenticate =>
  async (token) => {
    if (isPersonalToken(token)) return identifyByPersonalToken(ports, token);
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

/** Waits for a caller and a target that share a round trip. The errors of the caller come first. */
export const callerAndTarget = async <C extends Caller | null, Target>(
  caller: PendingCaller<C>,
  target: Promise<Target>,
): Promise<readonly [C, Target]> => {
  // Reported by the `await` below, unless the caller has an error.
  target.catch(() => {});
  return [await caller, await target];
};
