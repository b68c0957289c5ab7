import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { splitHosts } from '@chapter/adapters-postgres/database-url';
import { DEFAULT_SCRYPT, workOf } from '../passwords/scrypt-hash.ts';
import type { Config } from './config.ts';

const isLocal = (host: string): boolean =>
  // A path, percent-encoded, is the directory of a Unix socket.
  host === '' ||
  host === 'localhost' ||
  host === '[::1]' ||
  host.startsWith('%2F') ||
  (isIP(host) === 4 && host.startsWith('127.'));

/** Returns the host of a URL with one host if it is reached over a network without TLS. */
const exposedHost = (url: string): string | undefined => {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  // The driver encrypts for every other mode than these.
  const isEncrypted =
    !['disable', 'allow'].includes(searchParams.get('sslmode') ?? 'disable') ||
    ['true', '1'].includes(searchParams.get('ssl') ?? '');
  return isEncrypted || isLocal(host) || host.startsWith('/') ? undefined : host;
};

const canOthersRead = (file: string): boolean => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o004) !== 0;

/** What is allowed but endangers secrets, as sentences for the log of a start. */
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
          `${setting} reaches ${hosts.join(', ')} without TLS: passwords and data can be read on the way; add sslmode=require`,
        ];
  });
  const isWeak = workOf(scrypt) < workOf(DEFAULT_SCRYPT);
  return [
    ...(isWeak ? ['SCRYPT_LOG_N and SCRYPT_P make password hashes that are weaker than the defaults'] : []),
    ...exposed,
    ...(tokens.keysFile !== null && canOthersRead(tokens.keysFile)
      ? [`JWT_KEYS_FILE (${tokens.keysFile}) can be read by every user of this machine; run chmod o-r on it`]
      : []),
  ];
};
