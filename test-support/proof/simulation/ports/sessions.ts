import type { SessionId, SessionRepository, TokenTimes } from '../../../../packages/domain/src/ports/index.ts';
import { Difference, requireSame } from '../difference.ts';
import {
  endOneSession,
  endSession,
  modelSessionsOf,
  refresh,
  SESSION_TTL,
  startModelSession,
} from '../model/sessions.ts';
import { requireUser } from '../views.ts';
import { call, type Simulation } from './call.ts';

/** Wraps the session repository: calls take turns and are compared with the model. */
export const simulateSessions = (simulation: Simulation): SessionRepository => {
  const { world, model } = simulation;
  const { sessions } = world;
  const now = () => Date.parse(world.clock.now());
  const requireTimes = (times: TokenTimes, sessionId: SessionId, digest: string): void => {
    const [session, token] = [model.sessions.get(sessionId), model.tokens.get(digest)];
    requireSame('when a refresh token is stored', Date.parse(times.storedAt), now());
    requireSame('the expiry of a refresh token', Date.parse(times.expiresAt), token?.expiresAt);
    requireSame('the end of a session', Date.parse(times.sessionEndsAt), session?.endsAt);
  };
  return {
    start: (session, checked) =>
      call(simulation, 'sessions.start', async (run) => {
        const { command } = run;
        const expected = startModelSession(model, session, checked, now());
        const times = await sessions.start(session, checked);
        requireSame('the start of a session', times !== null, expected);
        requireSame('the lifetime of a session', session.sessionLifetime, SESSION_TTL);
        if (times) requireTimes(times, session.id, session.digest);
        if (!expected) run.missedStarts += 1;
        else if (command.kind !== 'logIn' || command.password !== model.users.get(session.userId)?.password) {
          throw new Difference('a session starts with a password that is not the current one');
        } else run.effect = { of: 'started', expected: session.id };
        return times;
      }),

    rotate: (rotation) =>
      call(simulation, 'sessions.rotate', async (run) => {
        const sessionId = refresh(model, rotation, now());
        const rotated = await sessions.rotate(rotation);
        requireSame('the session of a refresh token', rotated?.sessionId, sessionId);
        if (!rotated || sessionId === undefined) {
          run.refusals.add('invalid_token');
          return null;
        }
        requireTimes(rotated, sessionId, rotation.nextDigest);
        requireSame('the lifetime of a session', rotation.sessionLifetime, SESSION_TTL);
        requireUser(model, rotated.user, model.users.get(model.sessions.get(sessionId)?.userId ?? ''));
        run.effect = { of: 'rotated', expected: sessionId };
        return rotated;
      }),

    end: (token) =>
      call(simulation, 'sessions.end', async (run) => {
        endSession(model, token.digest);
        await sessions.end(token);
        run.effect = { of: 'ended', expected: undefined };
      }),

    list: (userId) =>
      call(simulation, 'sessions.list', async (run) => {
        const { command } = run;
        const expected = modelSessionsOf(model, userId, now());
        const listed = await sessions.list(userId);
        requireSame('the active sessions of a user', listed.map(({ id }) => id).toSorted(), expected);
        if (command.kind === 'endOwnSession' && !expected.includes(command.target)) run.refusals.add('not_found');
        run.effect = { of: 'read', expected: undefined };
        return listed;
      }),

    findOwner: (id) =>
      call(simulation, 'sessions.findOwner', async () => {
        const owner = await sessions.findOwner(id);
        const expected = model.sessions.get(id)?.userId ?? '';
        const isActive = modelSessionsOf(model, expected, now()).includes(id);
        requireSame('the user of a session', owner, isActive ? expected : null);
        return owner;
      }),

    endOne: (id, owner) =>
      call(simulation, 'sessions.endOne', async (run) => {
        const expected = endOneSession(model, id, owner, now());
        const ended = await sessions.endOne(id, owner);
        requireSame('whether a session ends', ended, expected);
        if (!expected) run.refusals.add('not_found');
        run.effect = { of: 'ended', expected: undefined };
        return ended;
      }),
  };
};
