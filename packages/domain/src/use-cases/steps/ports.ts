import type { ChangeFeed } from '../../ports/audit-log.ts';
import type { ConflictLimits } from '../../ports/conflict-limits.ts';
import type { DivisionRepository } from '../../ports/division-repository.ts';
import type { ListExports } from '../../ports/list-exports.ts';
import type { LoginLimits, LoginLog } from '../../ports/login-limits.ts';
import type { CommonPasswords, CredentialStore, PasswordHasher, PasswordLinks } from '../../ports/passwords.ts';
import type { Erasure, PersonalData } from '../../ports/personal-data.ts';
import type { SessionRepository } from '../../ports/session-repository.ts';
import type { Clock, IdGenerator, PublicAddress } from '../../ports/system.ts';
import type { AccessTokens, PersonalTokenFormat, PersonalTokens, RefreshTokens } from '../../ports/tokens.ts';
import type { UserDirectory } from '../../ports/user-directory.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import type { FairQueue } from '../../queues/fair-queue.ts';

/** The ports and settings of all use cases. */
export interface Ports {
  readonly accessTokens: AccessTokens;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly commonPasswords: CommonPasswords;
  readonly conflictLimits: ConflictLimits;
  readonly credentials: CredentialStore;
  readonly directory: UserDirectory;
  readonly divisions: DivisionRepository;
  readonly erasure: Erasure;
  readonly hasher: PasswordHasher;
  readonly ids: IdGenerator;
  readonly listExports: ListExports;
  readonly loginLimits: LoginLimits;
  readonly loginLog: LoginLog;
  readonly passwordLinks: PasswordLinks;
  /** Minimum length of new passwords in code points. */
  readonly passwordMinLength: number;
  /** Returns the address of the page on which users set a password by a link, without a fragment. */
  readonly passwordPage: () => string;
  readonly personalData: PersonalData;
  readonly personalTokenFormat: PersonalTokenFormat;
  readonly personalTokens: PersonalTokens;
  readonly publicAddress: PublicAddress;
  /** Lifetime of a refresh token, in seconds. */
  readonly refreshLifetime: number;
  readonly refreshTokens: RefreshTokens;
  /** Maximum age of a session, in seconds; a refresh does not extend it. */
  readonly sessionLifetime: number;
  readonly sessions: SessionRepository;
  /** Runs one call for each username at a time: the others then find the name taken, and hash nothing. */
  readonly usernames: Pick<FairQueue, 'run'>;
  readonly users: UserRepository;
}
