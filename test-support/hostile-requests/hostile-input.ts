/** A request to send. `{user}` and `{division}` in the path stand for the ids of the caller and of their division. */
export interface HostileRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  /** The user whose access token is sent; without it, none is sent. */
  readonly as?: 'leader' | 'administrator';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A kind of request that is as expensive as an attacker can make it. */
export interface HostileInput {
  readonly title: string;
  /** Maximum size of the hostile part in bytes. */
  readonly maxBytes: number;
  /** Whether the service closes the connection, even at half of that size. */
  readonly isDisconnected?: true;
  readonly make: (bytes: number) => HostileRequest;
}

/** Maximum size of a body in bytes (contract §1). */
export const MAX_BODY = 64 * 1024;

/** Maximum size of a query string in bytes (contract §1). */
export const MAX_QUERY = 24 * 1024;

/** Maximum size of a request head in bytes (contract §1), less the request line, `Host` and an access token. */
export const MAX_HEADER = 32 * 1024 - 2560;

/** Repeats a text up to the given number of bytes in UTF-8. */
export const fill = (bytes: number, unit: string): string =>
  unit.repeat(Math.max(0, Math.floor(bytes / Buffer.byteLength(unit))));

/** Joins numbered items up to the given number of bytes. */
export const fillNumbered = (bytes: number, separator: string, item: (at: number) => string): string => {
  const items: string[] = [];
  for (let length = 0, at = 0; ; at++) {
    const next = item(at);
    length += Buffer.byteLength(next) + separator.length;
    if (length > bytes) return items.join(separator);
    items.push(next);
  }
};

/** Returns combining marks that normalization has to reorder one by one. */
export const marks = (bytes: number): string => fill(bytes / 2, '\u0301') + fill(bytes / 2, '\u0316');

/** Texts that are expensive to parse, normalize or match in some way. */
export const HOSTILE_TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  'combining marks': marks,
  'letters with 30 combining marks each': (bytes) => fill(bytes, `a${'\u0301'.repeat(15)}${'\u0316'.repeat(15)}`),
  'combining marks up to 1,024 units': (bytes) => marks(Math.min(bytes, 2048)),
  'white space': (bytes) => `x${fill(bytes - 2, ' ')}x`,
  'leading white space': (bytes) => fill(bytes, ' '),
  'capital sigmas': (bytes) => fill(bytes, 'Σ.'),
  ligatures: (bytes) => fill(bytes, '\ufdfa'),
  emoji: (bytes) => fill(bytes, '😀'),
  'at signs': (bytes) => fill(bytes, 'a@'),
  'URL parts': (bytes) => `https://${fill(bytes - 9, 'a:1@')}/`,
  digits: (bytes) => fill(bytes, '1'),
  'backslashes and wildcards': (bytes) => fill(bytes, '\\%_'),
};
