import { join } from 'node:path';
import type { Database } from '@chapter/adapters-postgres';
import {
  type FairQueueLimits,
  makeAuthenticate,
  makeFairQueue,
  makeOperatorUseCases,
  makeUseCases,
  type Ports,
  type Tracer,
} from '@chapter/domain/api';
import type { Logger } from 'pino';
import { type Address, passwordPageOf } from './config/addresses.ts';
import type { Config } from './config/config.ts';
import { commonPasswords } from './passwords/common-passwords.ts';
import { makeScryptPasswords } from './passwords/scrypt-passwords.ts';
import { systemClock, systemTimers, uuidIds } from './system/clock-and-ids.ts';
import { makePublicAddress } from './system/public-ip-address.ts';
import { type KeyFile, makeAccessTokens, openKeyFile } from './tokens/jose-access-tokens.ts';
import { ensureKeyFile } from './tokens/key-file.ts';
import { randomPersonalTokens, randomRefreshTokens } from './tokens/random-tokens.ts';

/**
 * The requests that one process serves at once, and those that may wait. Reads or writes alone get at most three
 * quarters of the places, one caller half.
 */
const REQUEST_LIMITS: FairQueueLimits = { maxRunning: 64, maxPerKey: [48, 32], maxWaiting: 1000 };

/** Makes functions that run as parts of a trace, each with its name. */
const traceEach = <Functions extends object>(functions: Functions, tracer: Tracer): Functions => {
  const traced = Object.entries(functions).map(([name, run]: [string, (...input: unknown[]) => Promise<unknown>]) => [
    name,
    (...input: unknown[]) => tracer.span('use case', name, () => run(...input)),
  ]);
  return Object.fromEntries(traced) as Functions;
};

/**
 * Connects the ports of the operator's commands to their adapters. `readAddress` returns where the service listens, and
 * `useCases` makes the operator's use cases.
 */
export const composeOperator = (
  config: Config,
  database: Database,
  readAddress: () => Address = () => config.http,
  tracer?: Tracer,
) => {
  const ports = {
    ...database,
    hasher: makeScryptPasswords(config.scrypt, { maxRunning: config.hashProcessors, tracer }),
    commonPasswords,
    passwordMinLength: config.passwordMinLength,
    passwordPage: () => passwordPageOf(config.http, readAddress()),
    refreshTokens: randomRefreshTokens,
    personalTokenFormat: randomPersonalTokens,
    ids: uuidIds,
    clock: systemClock,
  };
  return { ...ports, useCases: () => makeOperatorUseCases(ports) };
};

/** Returns the path of the file with the keys that sign tokens. */
export const keysFileOf = ({ tokens: { keysFile }, dataDir }: Config): string => keysFile ?? join(dataDir, 'keys.json');

const openKeys = (config: Config, report: (sentence: string) => void): KeyFile => {
  const file = keysFileOf(config);
  if (config.tokens.keysFile === null) ensureKeyFile(file);
  return openKeyFile(file, report);
};

/** Connects every port to its adapter and builds the use cases and the authentication. */
export const composeService = (
  config: Config,
  database: Database,
  log: Pick<Logger, 'info' | 'warn'>,
  readAddress?: () => Address,
  tracer?: Tracer,
) => {
  const accessTokens = makeAccessTokens(
    openKeys(config, (sentence) => log.warn(sentence)),
    config.tokens,
    systemClock,
  );
  const publicAddress = makePublicAddress(config.publicAddress);
  const requests = makeFairQueue(
    REQUEST_LIMITS,
    systemTimers,
    tracer && ((wait) => tracer.span('wait', 'requests', wait)),
  );
  const { useCases: _, ...shared } = composeOperator(config, database, readAddress, tracer);
  const ports: Ports = {
    ...shared,
    accessTokens,
    publicAddress,
    loginLog: { write: (login) => log.info(login, 'login') },
    refreshLifetime: config.tokens.refreshTtl,
    sessionLifetime: config.tokens.sessionTtl,
  };
  const useCases = makeUseCases(ports);
  return {
    ports,
    useCases: tracer ? traceEach(useCases, tracer) : useCases,
    authenticate: makeAuthenticate({ ...ports, actors: database.actors }),
    requests,
    /** The numbers of calls in each queue, for the metrics. */
    queues: { requests: requests.use, hashes: shared.hasher.use, writes: database.writeQueueUse },
    stop: publicAddress.stop,
  };
};
