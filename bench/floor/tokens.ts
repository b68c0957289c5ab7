import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Who a token is about. */
export interface Subject {
  readonly sub: string;
  readonly sid: string;
  readonly exp: number;
}

/** Reads the tokens of `Authorization` headers, each verified once and then known by its text. */
export const readTokensWith = (privateKey: KeyObject): ((authorization: string) => Subject | undefined) => {
  const publicKey = createPublicKey(privateKey);
  const known = new Map<string, Subject>();
  return (authorization) => {
    const found = known.get(authorization);
    if (found) return found.exp > Date.now() / 1000 ? found : undefined;
    const [header, payload = '', signature = ''] = authorization.slice('Bearer '.length).split('.');
    const signed = Buffer.from(`${header}.${payload}`);
    if (!verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))) return undefined;
    const subject = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Subject;
    known.set(authorization, subject);
    return subject;
  };
};
