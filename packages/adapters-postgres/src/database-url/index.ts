/** The values of `target_session_attrs` that a database URL may have. */
export const TARGET_SESSION_ATTRS = ['read-write', 'primary', 'any'] as const;

/** Scheme, user and password; hosts; the rest. The last `@` before the path ends the password. */
const DATABASE_URL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/su;

/**
 * Splits a database URL with several hosts (`postgresql://user:password@host1:5432,host2/database`) into one URL per
 * host, in the same order. Returns other texts unchanged.
 */
export const splitHosts = (url: string): readonly string[] => {
  const [, start, hosts = '', rest] = DATABASE_URL.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${start}${host}${rest}`) : [url];
};

/** Returns the parameters of a database URL. Like the driver, uses the last value of a repeated parameter. */
export const urlParameters = (url: string): ReadonlyMap<string, string> =>
  new Map(new URL(splitHosts(url)[0] ?? url).searchParams);

/**
 * Returns the host and port of a URL with one host, for messages. For a Unix socket, returns its directory. Like the
 * driver, uses `PGHOST` and `PGPORT` for what the URL leaves out.
 */
export const hostOf = (url: string): string => {
  const { hostname, port } = new URL(url);
  const parameters = urlParameters(url);
  const host = parameters.get('host') || decodeURIComponent(hostname) || process.env['PGHOST'] || 'localhost';
  return host.startsWith('/') ? host : `${host}:${parameters.get('port') || port || process.env['PGPORT'] || 5432}`;
};

/** Returns the hosts, ports and database name of a database URL, for messages: no user, password or parameters. */
export const databaseAddressOf = (url: string): string => {
  const hosts = splitHosts(url);
  return `${hosts.map(hostOf).join(',')}${new URL(hosts[0] ?? url).pathname}`;
};
