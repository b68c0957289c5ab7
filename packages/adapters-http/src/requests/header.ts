import type { IncomingMessage } from 'node:http';

/** The value of a header; several lines of it are one list. RFC 9110, section 5.3. */
export const header = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};
