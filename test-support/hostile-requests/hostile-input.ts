/** A request as it is sent. `{user}` and `{division}` in the path stand for the ids of the caller and of their division. */
export interface HostileRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  /** Whose access token is sent; absent: none. */
  readonly as?: 'leader' | 'administrator';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A kind of request that costs as much as an attacker can make it cost. */
export interface HostileInput {
  readonly title: string;
  /** Bytes of the hostile part at most: the limit of the place where it stands. */
  readonly maxBytes: number;
  /** Whether the service destroys its connection, already at half of that. */
  readonly isDisconnected?: true;
  readonly make: (bytes: number) => HostileRequest;
}

/** Bytes of a body. Contract, section 1. */
export const MAX_BODY = 64 * 1024;

/** Bytes of a query string. Contract, section 1. */
export const MAX_QUERY = 24 * 1024;

/** Bytes of a request head (contract, section 1), less what the request line, `Host` and an access token take. */
export const MAX_HEADER = 32 * 1024 - 2560;

/** Repeats a text until it has so many bytes in UTF-8, or a few less. */
export const fill = (bytes: number, unit: string): string =>
  unit.repeat(Math.max(0, Math.floor(bytes / Buffer.byteLength(unit))));

/** Joins numbered items until they have so many bytes. */
export const fillNumbered = (bytes: number, separator: string, item: (at: number) => string): string => {
  const items: string[] = [];
  for (let length = 0, at = 0; ; at++) {
    const next = item(at);
    length += Buffer.byteLength(next) + separator.length;
    if (length > bytes) return items.join(separator);
    items.push(next);
  }
};

/** Combining marks that normalization has to put in another order, one by one. */
export const marks = (bytes: number): string => fill(bytes / 2, '\u0301') + fill(bytes / 2, '\u0316');

/** Texts that are costly for one way or another of reading text. */
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
