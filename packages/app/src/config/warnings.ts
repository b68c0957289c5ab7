import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { splitHosts, urlParameters } from '@chapter/adapters-postgres/database-url';
import { DEFAULT_SCRYPT, workOf } from '../passwords/scrypt-hash.ts';
import type { Config } from './config.ts';

const isLocal = (host: string): boolean =>
  // A percent-encoded path is the directory of a Unix socket.
  host === '' ||
  host === 'localhost' ||
  host === '[::1]' ||
  host === '::1' ||
  host.startsWith('%2F') ||
  (isIP(host) === 4 && host.startsWith('127.'));

/** Parameters that enable TLS in the driver, even with `ssl=0`. */
const TLS_PARAMETERS = ['sslmode', 'sslcert', 'sslkey', 'sslrootcert'];

/** Returns whether the driver encrypts a connection with these parameters: in every `sslmode` but `disable`. */
const isEncrypted = (parameters: ReadonlyMap<string, string>): boolean => {
  if (parameters.get('sslmode') === 'disable') return false;
  if (TLS_PARAMETERS.some((name) => parameters.get(name))) return true;
  const ssl = parameters.get('ssl') ?? (parameters.get('sslnegotiation') === 'direct' ? 'true' : '');
  return ['true', '1', 'no-verify'].includes(ssl);
};

/** Returns the host of a URL if the connection crosses a network without TLS. The URL has only one host. */
const exposedHost = (url: string): string | undefined => {
  const parameters = urlParameters(url);
  const host = parameters.get('host') || new URL(url).hostname;
  return isEncrypted(parameters) || isLocal(host) || host.startsWith('/') ? undefined : host;
};

const canOthersRead = (file: string): boolean => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o004) !== 0;

/** Returns warnings for the log about settings that are allowed but insecure. */
export const warningsOf = ({ database, scrypt, tokens }: Config): readonly string[] => {
  const urls = [
    ...(database.url === null ? [] : [['DATABASE_URL', database.url] as const]),
    ...(database.ownerUrl === null ? [] : [['OWNER_DATABASE_URL', database.ownerUrl] as const]),
    ...database.replicaUrls.map((url) => ['DATABASE_REPLICA_URLS', url] as const),
  ];
  const exposed = urls.flatMap(([setting, url]) => {
    const hosts = splitHosts(url).flatMap((single) => exposedHost(single) ?? []);
    return hosts.length === 0
      ? []
      : [
          `${setting} connects to ${hosts.join(', ')} without TLS: passwords and data can be read in transit; add sslmode=require`,
        ];
  });
  const isWeak = workOf(scrypt) < workOf(DEFAULT_SCRYPT);
  return [
    ...(isWeak
      ? ['SCRYPT_LOG_N and SCRYPT_P make password hashes weaker than the defaults; increase or unset them']
      : []),
    ...exposed,
    ...(tokens.keysFile !== null && canOthersRead(tokens.keysFile)
      ? [`JWT_KEYS_FILE (${tokens.keysFile}) can be read by every user of this machine; run chmod o-r on it`]
      : []),
  ];
};
