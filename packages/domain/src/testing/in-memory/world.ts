import { passwordRule } from '../../fields/password.ts';
import { LIFETIME_SECONDS } from '../../model/lifetimes.ts';
import type { AuditLog } from '../../ports/audit-log.ts';
import type { ActorDirectory } from '../../ports/session-repository.ts';
import type { IdGenerator } from '../../ports/system.ts';
import type { Ports } from '../../use-cases/index.ts';
import { makeSequentialIds } from '../fakes/ids.ts';
import { type FakePasswordHasher, makeFakePasswordHasher } from '../fakes/password-hasher.ts';
import { makeSettableClock, type SettableClock } from '../fakes/settable-clock.ts';
import { fewCommonPasswords, makeReadableLoginLog, type ReadableLoginLog } from '../fakes/surroundings.ts';
import { makeFakeAccessTokens, makeFakePersonalTokenFormat, makeFakeRefreshTokens } from '../fakes/tokens.ts';
import { makeInMemoryAuditLog, makeInMemoryChanges } from './audit-log.ts';
import { makeInMemoryDivisions } from './division-repository.ts';
import { makeInMemoryConflictLimits, makeInMemoryLoginLimits } from './limits.ts';
import { makeInMemoryListExports } from './list-exports.ts';
import { makeInMemoryCredentials, makeInMemoryPasswordLinks } from './passwords.ts';
import { makeInMemoryErasure, makeInMemoryPersonalData } from './personal-data.ts';
import { makeInMemoryPersonalTokens } from './personal-tokens.ts';
import { makeInMemoryActors, makeInMemorySessions } from './session-repository.ts';
import { makeStore } from './store.ts';
import { makeInMemoryDirectory } from './user-directory.ts';
import { makeInMemoryUsers } from './user-repository.ts';

/**
 * All persistence ports on one shared store, which is empty at first, with the clock and the id generator that they
 * use. The ports are implemented by the in-memory adapters or by the adapters under test.
 */
export interface World
  extends Pick<Ports, 'users' | 'divisions' | 'sessions' | 'credentials' | 'loginLimits' | 'conflictLimits' | 'ids'>,
    Pick<
      Ports,
      'passwordLinks' | 'personalTokens' | 'listExports' | 'changes' | 'directory' | 'personalData' | 'erasure'
    > {
  readonly actors: ActorDirectory;
  readonly audit: AuditLog;
  readonly clock: SettableClock;
}

/** The in-memory adapters and fakes of all other ports: everything that the use cases need. */
export interface InMemoryWorld extends World, Ports {
  readonly clock: SettableClock;
  readonly hasher: FakePasswordHasher;
  readonly loginLog: ReadableLoginLog;
}

/** Returns an empty world of in-memory adapters. */
export const makeWorld = ({
  clock = makeSettableClock(),
  ids = makeSequentialIds(),
}: {
  readonly clock?: SettableClock;
  readonly ids?: IdGenerator;
} = {}): InMemoryWorld => {
  const store = makeStore(clock, ids);
  return {
    users: makeInMemoryUsers(store),
    divisions: makeInMemoryDivisions(store),
    sessions: makeInMemorySessions(store),
    credentials: makeInMemoryCredentials(store),
    actors: makeInMemoryActors(store),
    loginLimits: makeInMemoryLoginLimits(store),
    conflictLimits: makeInMemoryConflictLimits(store),
    passwordLinks: makeInMemoryPasswordLinks(store),
    personalTokens: makeInMemoryPersonalTokens(store),
    directory: makeInMemoryDirectory(store),
    listExports: makeInMemoryListExports(store),
    audit: makeInMemoryAuditLog(store),
    changes: makeInMemoryChanges(store),
    personalData: makeInMemoryPersonalData(store),
    erasure: makeInMemoryErasure(store),
    clock,
    ids,
    hasher: makeFakePasswordHasher(),
    accessTokens: makeFakeAccessTokens(clock),
    refreshTokens: makeFakeRefreshTokens(),
    personalTokenFormat: makeFakePersonalTokenFormat(),
    // An address reserved for documentation (RFC 5737).
    publicAddress: { current: () => '192.0.2.1' },
    loginLog: makeReadableLoginLog(),
    commonPasswords: fewCommonPasswords,
    usernames: { run: (_, work) => work((inner) => inner()) },
    refreshLifetime: LIFETIME_SECONDS.refreshToken,
    sessionLifetime: LIFETIME_SECONDS.session,
    passwordMinLength: passwordRule.min,
    passwordPage: () => 'https://members.example.org/password/',
  };
};
