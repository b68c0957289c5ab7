import { type KeyObject, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pool } from 'pg';
import { item, summary } from './json.ts';
import { makeLists } from './lists.ts';
import { makeLogIn } from './log-in.ts';
import { hashPassword, type ScryptParameters } from './passwords.ts';
import { statements } from './statements.ts';
import type { Subject } from './tokens.ts';

/** What is answered; undefined is 404, for whatever reason. */
interface Answer {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

const read = async (request: IncomingMessage): Promise<Record<string, string>> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return JSON.parse(text) as Record<string, string>;
};

const listed = async (body: Promise<string | undefined>): Promise<Answer | undefined> => {
  const page = await body;
  return page === undefined ? undefined : { body: page };
};

const write = (response: ServerResponse, { status = 200, body, headers }: Answer): void => {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...headers }).end(body);
};

/** Answers all kinds of requests. */
export const makeAnswer = (
  pool: Pool,
  subjectOf: (authorization: string) => Subject | undefined,
  key: KeyObject,
  scrypt: ScryptParameters,
): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const lists = makeLists(pool);
  const logIn = makeLogIn(pool, key, scrypt);

  const getUser = async ({ sid, sub }: Subject, id: string): Promise<Answer | undefined> => {
    const [row] = (await pool.query<(string | null)[]>({ ...statements.read, values: [sid, sub, id] })).rows;
    return row && { body: summary(row), headers: { ETag: `"${row[5]}.${row[6]}"` } };
  };

  const change = async ({ sid, sub }: Subject, id: string, request: IncomingMessage): Promise<Answer | undefined> => {
    const { first_name: name = '' } = await read(request);
    const values = [sid, sub, id, name, name.toLowerCase(), randomUUID(), randomUUID()];
    const [row] = (await pool.query<(string | null)[]>({ ...statements.change, values })).rows;
    return row && { body: item(row), headers: { ETag: `"${row[13]}.${row[14]}"` } };
  };

  const create = async ({ sid, sub }: Subject, request: IncomingMessage): Promise<Answer | undefined> => {
    const { username = '', password = '' } = await read(request);
    const hash = await hashPassword(password, scrypt);
    const values = [sid, sub, randomUUID(), username, username.toLowerCase(), hash, randomUUID(), randomUUID()];
    const [row] = (await pool.query<(string | null)[]>({ ...statements.create, values })).rows;
    return row && { status: 201, body: item(row), headers: { Location: `/api/users/${row[1]}/`, ETag: '"1.1"' } };
  };

  const answer = async (request: IncomingMessage): Promise<Answer | undefined> => {
    const { method, url = '', headers } = request;
    if (url === '/api/auth/login/') return { body: await logIn(await read(request)) };
    const subject = subjectOf(headers.authorization ?? '');
    if (!subject) return undefined;
    if (method === 'POST') return create(subject, request);
    if (method === 'PATCH') return change(subject, url.slice('/api/users/'.length), request);
    if (url.startsWith('/api/division/')) return listed(lists.divisionUsers(subject, url.slice(14, 50)));
    if (url === '/api/users/' || url[11] === '?') return listed(lists.users(subject, url.slice(12)));
    return getUser(subject, url.slice(11, -1));
  };

  return async (request, response) => {
    try {
      write(response, (await answer(request)) ?? { status: 404, body: '{}' });
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      write(response, { status: 500, body: '{}' });
    }
  };
};
