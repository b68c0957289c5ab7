import { request } from 'node:http';
import type { User } from '@chapter/domain';
import type { ResponseJson } from '../../../../test-support/client.ts';
import { requireDocumented } from './documented.ts';

/** A response. Its body is parsed if it is JSON. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Names and values alternately, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: ResponseJson;
  readonly text: string;
  /** The body as it was sent. */
  readonly bytes: Buffer;
}

/** The parts of a request besides method and path. */
export interface Sending {
  /** The user whose access token is sent. */
  readonly as?: User | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** The faults of a problem as `field code`. */
export const faultsOf = ({ body }: TestResponse): string[] =>
  ((body as { errors?: { field: string; code: string }[] }).errors ?? []).map(({ field, code }) => `${field} ${code}`);

/** Sends requests to a port of this machine and expects each response to match the OpenAPI document. */
export const makeSend =
  (port: number, tokenOf: (user: User) => Promise<string>) =>
  async (method: string, path: string, sending: Sending = {}): Promise<TestResponse> => {
    const { as, json, raw, headers = {} } = sending;
    const body = json === undefined ? raw : JSON.stringify(json);
    const all: Record<string, string | string[]> = { ...headers };
    if (as) all['authorization'] = `Bearer ${await tokenOf(as)}`;
    if (json !== undefined) all['content-type'] ??= 'application/json';
    if (body !== undefined) all['content-length'] ??= String(Buffer.byteLength(body));
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers: all }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const isEncoded = response.headers['content-encoding'] !== undefined;
          const isJson = response.headers['content-type']?.includes('json') && text !== '' && !isEncoded;
          const parsed: unknown = isJson ? JSON.parse(text) : text;
          const answered = {
            status: response.statusCode ?? 0,
            headers: response.headers as never,
            rawHeaders: response.rawHeaders,
            body: parsed,
            text,
            bytes,
          };
          try {
            requireDocumented(method, path, answered);
            resolve(answered);
          } catch (error) {
            reject(error);
          }
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  };
