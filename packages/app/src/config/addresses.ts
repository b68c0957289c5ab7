import type { Config } from './config.ts';

/** A host with a port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Returns the URL at which a browser on this machine reaches the address. */
export const browserUrl = ({ host, port }: Address): string => {
  const shown = host === '0.0.0.0' || host === '127.0.0.1' || host === '::' ? 'localhost' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
};

/** Returns whether no setting says at which address clients find the page on which users set a password by a link. */
export const isPageAssumed = ({ passwordPageUrl, publicUrl }: Config['http']): boolean =>
  (passwordPageUrl ?? publicUrl) === null;

/**
 * Returns the address of the page on which users set a password by a link (contract §11), for a service that listens on
 * `at`: a relative reference if no setting says how clients reach the service. It does not depend on the `Host` header:
 * with a false one, an attacker could direct the link of another user, with its token, to a page of their own.
 */
export const passwordPageOf = ({ clientsAreLocal, passwordPageUrl, publicUrl }: Config['http'], at: Address): string =>
  passwordPageUrl ?? `${publicUrl ?? (clientsAreLocal ? browserUrl(at) : '')}/password/`;
