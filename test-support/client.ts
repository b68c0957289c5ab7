import { setTimeout as sleep } from 'node:timers/promises';

/** Parsed JSON of any shape: a test that reads a missing member fails, so the type does not restrict access. */
export type ResponseJson = ReturnType<typeof JSON.parse>;

/** A response of the service. */
interface ClientResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined if the response has none. */
  readonly body: ResponseJson;
}

/** Sends requests as one caller. */
export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ClientResponse>;

/** Makes a client that sends the token, if one is given. */
export const clientOf =
  (url: string, token?: string): Client =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };

/** Logs in, again a few times if a slow machine lets it be 503, and returns the token. @throws Error if the login is refused. */
export const accessToken = async (url: string, username: string, password: string, tries = 5): Promise<string> => {
  const { status, headers, body } = await clientOf(url)('POST', '/api/auth/login/', { username, password });
  if (status === 503 && tries > 1) {
    await sleep(Number(headers.get('retry-after')) * 1000);
    return accessToken(url, username, password, tries - 1);
  }
  if (status !== 200) throw new Error(`log in as ${username}: ${status}`);
  return body.access_token;
};

/** Logs in and returns a client. @throws Error if the login is refused. */
export const logIn = async (url: string, username: string, password: string): Promise<Client> =>
  clientOf(url, await accessToken(url, username, password));
