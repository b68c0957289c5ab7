import type { ActorDirectory } from '../ports/actor-directory.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { CredentialStore } from '../ports/credential-store.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { LoginLimits } from '../ports/login-limits.ts';
import type { SessionRepository } from '../ports/session-repository.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { makeSequentialIds } from './fake-ids.ts';
import { makeInMemoryActors } from './in-memory-actors.ts';
import { makeInMemoryAuditLog } from './in-memory-audit-log.ts';
import { makeInMemoryCredentials } from './in-memory-credentials.ts';
import { makeInMemoryDivisions } from './in-memory-divisions.ts';
import { makeInMemoryLoginLimits } from './in-memory-login-limits.ts';
import { makeInMemorySessions } from './in-memory-sessions.ts';
import { makeInMemoryUsers } from './in-memory-users.ts';
import { makeSettableClock, type SettableClock } from './settable-clock.ts';
import { makeStore } from './store.ts';

/**
 * Every port that keeps something, over one set of rows that is empty at first, with the clock and the ids that they use:
 * the twins, or an adapter that is held against them.
 */
export interface World {
  readonly users: UserRepository;
  readonly divisions: DivisionRepository;
  readonly sessions: SessionRepository;
  readonly credentials: CredentialStore;
  readonly actors: ActorDirectory;
  readonly limits: LoginLimits;
  readonly audit: AuditLog;
  readonly clock: SettableClock;
  readonly ids: IdGenerator;
}

/** An empty world of twins. */
export const makeWorld = ({
  clock = makeSettableClock(),
  ids = makeSequentialIds(),
}: {
  readonly clock?: SettableClock;
  readonly ids?: IdGenerator;
} = {}): World => {
  const store = makeStore(clock, ids);
  return {
    users: makeInMemoryUsers(store),
    divisions: makeInMemoryDivisions(store),
    sessions: makeInMemorySessions(store),
    credentials: makeInMemoryCredentials(store),
    actors: makeInMemoryActors(store),
    limits: makeInMemoryLoginLimits(store),
    audit: makeInMemoryAuditLog(store),
    clock,
    ids,
  };
};
