import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { connectionTargetsOf } from '@chapter/adapters-postgres';
import { DEFAULT_SCRYPT, workOf } from '../passwords/scrypt-hash.ts';
import { isPageAssumed } from './addresses.ts';
import type { Config } from './config.ts';
import { connectionsIn, memoryOfProcess } from './connection-limit.ts';

/** Returns whether connections to a host stay on this machine. A path is the directory of a Unix socket. */
const isLocal = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) || host.startsWith('/') || (isIP(host) === 4 && host.startsWith('127.'));

const canOthersRead = (file: string): boolean => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o044) !== 0;

/** Returns warnings for the log about settings that are allowed but insecure or larger than this machine. */
export const warningsOf = ({ database, http, scrypt, tokens, workers }: Config): readonly string[] => {
  const urls = [
    ...(database.url === null ? [] : [['DATABASE_URL', database.url] as const]),
    ...(database.ownerUrl === null ? [] : [['OWNER_DATABASE_URL', database.ownerUrl] as const]),
    ...database.replicaUrls.map((url) => ['DATABASE_REPLICA_URLS', url] as const),
  ];
  const exposed = urls.map(([setting, url]) => {
    const targets = connectionTargetsOf(url).filter(({ host, isPlainText }) => isPlainText && !isLocal(host));
    const hosts = targets.map(({ host }) => host);
    return (
      hosts.length > 0 &&
      `${setting} connects to ${hosts.join(', ')} without TLS: passwords and data can be read in transit; add sslmode=require`
    );
  });
  const readable = Object.entries({ PUBLIC_URL: http.publicUrl, PASSWORD_PAGE_URL: http.passwordPageUrl }).filter(
    ([, url]) => url?.startsWith('http:') && !isLocal(new URL(url).hostname),
  );
  const fitting = connectionsIn(memoryOfProcess(workers));
  const isWeak = workOf(scrypt) < workOf(DEFAULT_SCRYPT);
  return [
    isWeak && 'SCRYPT_LOG_N and SCRYPT_P make password hashes weaker than the defaults; increase or unset them',
    http.maxConnections > fitting &&
      `MAX_CONNECTIONS is ${http.maxConnections}, but only ${fitting} connections fit into the memory; decrease or unset it`,
    ...exposed,
    isPageAssumed(http) &&
      !http.clientsAreLocal &&
      'PUBLIC_URL is not set: password links are only paths without an address; set it or PASSWORD_PAGE_URL',
    ...readable.map(([setting]) => `${setting} is an http URL: passwords and tokens can be read in transit; use https`),
    tokens.keysFile !== null &&
      canOthersRead(tokens.keysFile) &&
      `JWT_KEYS_FILE (${tokens.keysFile}) can be read by other users of this machine; run chmod go-r on it`,
  ].filter((warning) => warning !== false);
};
