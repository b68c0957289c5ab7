/**
 * Parsed JSON of whatever shape: a test says what it expects by looking for it, and what is not there fails there. Its
 * values are therefore of the type that goes wherever it is put.
 */
export type Json = ReturnType<typeof JSON.parse>;

/** What the service has answered. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined where there is none. */
  readonly body: Json;
}

/** Sends requests as one caller. */
export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** A client that presents a token, or nobody's. */
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

/** An access token. @throws Error where the login was refused. */
export const accessToken = async (url: string, username: string, password: string): Promise<string> => {
  const { status, body } = await clientOf(url)('POST', '/api/auth/login/', { username, password });
  if (status !== 200) throw new Error(`log in as ${username}: ${status}`);
  return body.access_token;
};

/** A client that has logged in. @throws Error where that was refused. */
export const logIn = async (url: string, username: string, password: string): Promise<Client> =>
  clientOf(url, await accessToken(url, username, password));
