import { type Ports } from '../../../../packages/domain/src/api/index.ts';
import { type AccessTokens, type ActorDirectory, invalidToken } from '../../../../packages/domain/src/ports/index.ts';
import { requireSame } from '../difference.ts';
import { callerOf } from '../model/sessions.ts';
import { recordPossibleOutcomes } from '../run.ts';
import { requireActor } from '../views.ts';
import { call, type Simulation } from './call.ts';
import { simulateCredentials, simulateHasher, simulateLimits } from './credentials.ts';
import { simulateDivisions } from './divisions.ts';
import { simulateLinks } from './links.ts';
import { simulateSessions } from './sessions.ts';
import { simulateUsers } from './users.ts';

const ACCESS_TOKEN_TTL_MS = 15 * 60 * 1000;

/** Makes short access tokens that expire like real ones. Calls take turns. */
const simulateAccessTokens = (simulation: Simulation): AccessTokens => {
  const { world, model } = simulation;
  const now = () => Date.parse(world.clock.now());
  const issued: { readonly sub: string; readonly sid: string; readonly expiresAt: number }[] = [];
  return {
    issue: ({ sub, sid }, notAfter) =>
      call(simulation, 'accessTokens.issue', async () => {
        const session = model.sessions.get(sid);
        if (session) requireSame('the end of an access token', Date.parse(notAfter), session.endsAt);
        const expiresAt = Math.min(now() + ACCESS_TOKEN_TTL_MS, Date.parse(notAfter));
        issued.push({ sub, sid, expiresAt });
        return { token: `access-token-${issued.length}`, expiresIn: Math.ceil((expiresAt - now()) / 1000) };
      }),
    verify: (token) =>
      call(simulation, 'accessTokens.verify', async (run) => {
        const found = issued[Number(token.slice('access-token-'.length)) - 1];
        if (found && found.expiresAt > now()) return { sub: found.sub, sid: found.sid };
        run.refusals.add('invalid_token');
        throw invalidToken();
      }),
    keys: () => world.accessTokens.keys(),
  };
};

const simulateActors = (simulation: Simulation): ActorDirectory => {
  const { world, model } = simulation;
  return {
    find: (userId, sessionId) =>
      call(simulation, 'actors.find', async (run) => {
        const expected = callerOf(model, userId, sessionId, Date.parse(world.clock.now()));
        const actor = await world.actors.find(userId, sessionId);
        requireActor(actor, expected);
        run.actor = expected;
        if (expected) recordPossibleOutcomes(model, run);
        else run.refusals.add('invalid_token');
        return actor;
      }),
  };
};

/** Wraps all ports of the use cases: calls take turns and are compared with the model. */
export const simulatePorts = (simulation: Simulation): Ports & { readonly actors: ActorDirectory } => {
  const { world } = simulation;
  return {
    ...world,
    users: simulateUsers(simulation),
    divisions: simulateDivisions(simulation),
    sessions: simulateSessions(simulation),
    passwordLinks: simulateLinks(simulation),
    credentials: simulateCredentials(simulation),
    hasher: simulateHasher(simulation),
    loginLimits: simulateLimits(simulation),
    accessTokens: simulateAccessTokens(simulation),
    actors: simulateActors(simulation),
    conflictLimits: { count: (id) => call(simulation, 'conflictLimits.count', () => world.conflictLimits.count(id)) },
  };
};
