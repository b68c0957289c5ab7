import type { SessionRepository } from '../../../packages/domain/src/index.ts';
import { Difference, requireSame } from '../difference.ts';
import { endSession, refresh, SESSION_TTL, startSession } from '../model/sessions.ts';
import { requireUser } from '../views.ts';
import { call, type Simulation } from './call.ts';

/** The session repository, called in turns and compared with the model. */
export const simulateSessions = (simulation: Simulation): SessionRepository => {
  const { world, model } = simulation;
  const { sessions } = world;
  return {
    start: (session, checked) =>
      call(simulation, 'sessions.start', async (run) => {
        const { command } = run;
        const expected = startSession(model, session, checked);
        requireSame('the start of a session', await sessions.start(session, checked), expected);
        if (!expected) run.missedStarts += 1;
        else if (command.kind !== 'logIn' || command.password !== model.users.get(session.userId)?.password) {
          throw new Difference('a session starts with a password that is not the present one');
        } else run.effect = { of: 'started', expected: session.id };
        return expected;
      }),

    rotate: (rotation) =>
      call(simulation, 'sessions.rotate', async (run) => {
        const sessionId = refresh(model, rotation);
        const rotated = await sessions.rotate(rotation);
        requireSame('the session of a refresh token', rotated?.sessionId, sessionId);
        if (!rotated || sessionId === undefined) {
          run.refusals.add('invalid_token');
          return null;
        }
        const [session, token] = [model.sessions.get(sessionId), model.tokens.get(rotation.nextDigest)];
        requireSame('the expiry of a refresh token', Date.parse(rotated.expiresAt), token?.expiresAt);
        requireSame('the end of a session', Date.parse(rotated.sessionEndsAt), session?.endsAt);
        requireSame('the lifetime of a session', rotation.sessionLifetime, SESSION_TTL);
        requireUser(model, rotated.user, model.users.get(session?.userId ?? ''));
        run.effect = { of: 'rotated', expected: sessionId };
        return rotated;
      }),

    end: (digest) =>
      call(simulation, 'sessions.end', async (run) => {
        endSession(model, digest);
        await sessions.end(digest);
        run.effect = { of: 'ended', expected: undefined };
      }),
  };
};
