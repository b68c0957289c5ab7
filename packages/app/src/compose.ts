import { join } from 'node:path';
import type { Database } from '@chapter/adapters-postgres';
import { makeAuthenticate, makeUseCases, type Ports } from '@chapter/domain';
import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import { commonPasswords } from './passwords/common-passwords.ts';
import { makeScryptPasswords } from './passwords/scrypt-passwords.ts';
import { systemClock, uuidIds } from './system/clock-and-ids.ts';
import { makePublicAddress } from './system/public-ip-address.ts';
import { type KeyFile, makeAccessTokens, openKeyFile } from './tokens/jose-access-tokens.ts';
import { ensureKeyFile } from './tokens/key-file.ts';
import { randomRefreshTokens } from './tokens/random-refresh-tokens.ts';

/** The ports that the operator's commands need as the service does. */
export const composeOperator = (config: Config, database: Database) => ({
  ...database,
  hasher: makeScryptPasswords(config.scrypt),
  commonPasswords,
  passwordMinLength: config.passwordMinLength,
  refreshTokens: randomRefreshTokens,
  ids: uuidIds,
  clock: systemClock,
});

const openKeys = ({ tokens: { keysFile }, dataDir }: Config, report: (sentence: string) => void): KeyFile => {
  if (keysFile !== null) return openKeyFile(keysFile, report);
  const kept = join(dataDir, 'keys.json');
  ensureKeyFile(kept);
  return openKeyFile(kept, report);
};

/** The wiring: every port on its adapter, and the use cases over them. */
export const composeService = (config: Config, database: Database, log: Pick<Logger, 'info' | 'warn'>) => {
  const accessTokens = makeAccessTokens(
    openKeys(config, (sentence) => log.warn(sentence)),
    config.tokens,
    systemClock,
  );
  const publicAddress = makePublicAddress(config.publicAddress);
  const ports: Ports = {
    ...composeOperator(config, database),
    accessTokens,
    publicAddress,
    loginLog: { write: (login) => log.info(login, 'login') },
    refreshLifetime: config.tokens.refreshTtl,
    sessionLifetime: config.tokens.sessionTtl,
  };
  return {
    ports,
    useCases: makeUseCases(ports),
    authenticate: makeAuthenticate({ accessTokens, actors: database.actors }),
    stop: publicAddress.stop,
  };
};
