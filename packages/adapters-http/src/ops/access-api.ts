import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';
import { type Access, type AccessPage, type Decision, type Found, forbidden, unavailable } from '@chapter/domain/api';
import { type Static, type TSchema, Type } from 'typebox';
import { bodyTooLarge, HttpError } from '../errors/problem.ts';
import { header } from '../requests/headers.ts';
import { BODY_LIMIT, JSON_TYPE, readJson } from '../requests/read-json.ts';
import { ActionSearch, Evaluation, Evaluations, ResourceSearch, SubjectSearch } from '../schemas/access.ts';

/** The longest time for a response, in milliseconds, for instance without a database. */
const ANSWER_LIMIT_MS = 5000;

/** How many requests are served at once. More are possible because a client may send many on one connection. */
const MAX_RUNNING = 16;

const MAX_RESULTS = 100;

/** The checks of TypeBox. They are 300 modules, so that a start does not wait for them, but the first question does. */
let checks: typeof import('typebox/value');

const refusal = (detail: string): HttpError => new HttpError('bad_request', detail);

const faultIn = (schema: TSchema, value: unknown): string => {
  const [fault] = checks.Errors(schema, value);
  return `${fault?.instancePath.slice(1).replaceAll('/', '.') || 'the request'} ${fault?.message ?? 'is malformed'}`;
};

/** Returns a value of a schema. @throws HttpError `bad_request` that names the first fault. */
const read = <S extends TSchema>(schema: S, value: unknown): Static<S> => {
  if (checks.Check(schema, value)) return value;
  throw refusal(faultIn(schema, value));
};

const decisionBody = ({ outcome, reason, rule }: Decision) => ({
  decision: outcome === 'allowed',
  context: { outcome, reason, rule },
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => checks.Check(Type.Object({}), value);

/** Completes an evaluation by defaults for its members, and for the single keys of an entity, such as `type`. */
const withDefaults = (item: unknown, defaults: object): unknown => {
  if (!isObject(item)) return item;
  const merged: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(item)) {
    const byDefault = merged[name];
    merged[name] = isObject(value) && isObject(byDefault) ? { ...byDefault, ...value } : value;
  }
  return merged;
};

/** For each semantic, the decision after which no further one is returned. AuthZEN 1.0, section 7.1.2.1. */
const LAST_DECISION = { execute_all: null, deny_on_first_deny: false, permit_on_first_permit: true } as const;

const evaluateOne = async (access: Access, body: unknown): Promise<object> => {
  const decisions = await access.evaluate([read(Evaluation, body)]);
  return { ...decisions.map(decisionBody)[0] };
};

const evaluateAll = async (access: Access, body: unknown): Promise<object> => {
  const members = read(Evaluations, body);
  const { evaluations = [], options } = members;
  if (evaluations.length === 0) return evaluateOne(access, body);
  const items = evaluations.map((item) => withDefaults(item, members));
  const decided = await access.evaluate(items.filter((item) => checks.Check(Evaluation, item)));
  const decisions = decided.map(decisionBody).values();
  const all = items.map((item) => {
    const { value } = checks.Check(Evaluation, item) ? decisions.next() : {};
    return value ?? { decision: false, context: { error: { status: 400, message: faultIn(Evaluation, item) } } };
  });
  const last = all.findIndex(
    ({ decision }) => decision === LAST_DECISION[options?.evaluations_semantic ?? 'execute_all'],
  );
  return { evaluations: last < 0 ? all : all.slice(0, last + 1) };
};

const NEXT_TOKEN = /^([0-9a-z]{1,7})\.(\d{1,3})\.([A-Za-z0-9-]{0,64})$/;

/** Returns the part of a search that a request asks for. The token of a part contains checksum, limit and position. */
const pageOf = (
  checksum: string,
  { limit, token }: { readonly limit?: number; readonly token?: string },
): AccessPage => {
  if (token === undefined) return { after: '', limit: Math.min(limit ?? MAX_RESULTS, MAX_RESULTS) };
  const [, sentChecksum, sentLimit, after = ''] = NEXT_TOKEN.exec(token) ?? [];
  if (sentChecksum !== checksum) throw refusal('page.token is not the next_token of a search for the same');
  const page = pageOf(checksum, { limit: Number(sentLimit) });
  if (limit !== undefined && pageOf(checksum, { limit }).limit !== page.limit) {
    throw refusal('page.limit must be the same for all parts of a search');
  }
  return { ...page, after };
};

type Answer = (body: unknown, path: string) => Promise<object>;

const search =
  <S extends typeof SubjectSearch | typeof ResourceSearch | typeof ActionSearch>(
    schema: S,
    find: (question: Static<S>, page: AccessPage) => Promise<Found<object>>,
  ): Answer =>
  async (body, path) => {
    const question = read(schema, body);
    const { action, context, page: sent = {}, resource, subject } = question as Static<typeof SubjectSearch>;
    const checksum = crc32(JSON.stringify([path, subject, action, resource, context])).toString(36);
    const page = pageOf(checksum, sent);
    const { next, results } = await find(question, page);
    const token = next === null ? '' : `${checksum}.${page.limit}.${next}`;
    return { page: { next_token: token, count: results.length }, results };
  };

/** The endpoints by the names of their metadata. AuthZEN 1.0, sections 9.1.1 and 10.1. */
const endpointsOf = (access: Access): Readonly<Record<string, readonly [path: string, answer: Answer]>> => ({
  access_evaluation_endpoint: ['/access/v1/evaluation', (body) => evaluateOne(access, body)],
  access_evaluations_endpoint: ['/access/v1/evaluations', (body) => evaluateAll(access, body)],
  search_subject_endpoint: ['/access/v1/search/subject', search(SubjectSearch, access.searchSubjects)],
  search_resource_endpoint: ['/access/v1/search/resource', search(ResourceSearch, access.searchResources)],
  search_action_endpoint: ['/access/v1/search/action', search(ActionSearch, access.searchActions)],
});

const readBytes = (message: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_LIMIT) reject(bodyTooLarge(BODY_LIMIT));
      else chunks.push(chunk);
    });
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  });

const readBody = async (message: IncomingMessage): Promise<unknown> => {
  const { duplicates, value } = await readJson({ message, readBytes: () => readBytes(message) }, [JSON_TYPE]);
  for (const [name, fault] of duplicates) throw refusal(`${name} ${fault}`);
  return value;
};

/** Makes a function to run work within {@link ANSWER_LIMIT_MS}. @throws DomainError `unavailable`, also if too busy. */
const makeLimit = () => {
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= MAX_RUNNING) throw unavailable();
    running += 1;
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(unavailable()), ANSWER_LIMIT_MS);
    const end = (): void => {
      clearTimeout(timer);
      running -= 1;
    };
    const answer = work();
    answer.then(end, end);
    return Promise.race([answer, tooLate]);
  };
};

const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/**
 * Returns the address that the client used. The metadata must equal the address for which a client asks for them, and
 * only this client receives them. A proxy that adds TLS says so in `X-Forwarded-Proto`.
 */
const addressOf = (request: IncomingMessage): string => {
  const host = header(request, 'host') ?? '';
  if (!HOST.test(host)) throw refusal('the header Host must be a name or an address');
  return `${header(request, 'x-forwarded-proto') === 'https' ? 'https' : 'http'}://${host}`;
};

/** Throws unless the endpoint has the method. @throws HttpError `method_not_allowed`. */
export const requireMethod = ({ method = '' }: IncomingMessage, allowed: readonly string[]): void => {
  if (allowed.includes(method)) return;
  const detail = `method not allowed; use ${allowed.join(' or ')}`;
  throw new HttpError('method_not_allowed', detail, { Allow: allowed.join(', ') });
};

/** Returns the body of the response. @throws DomainError `unavailable`, `forbidden`; HttpError for a faulty request. */
type AnswerAccess = (request: IncomingMessage) => Promise<object>;

/** Makes the endpoints of AuthZEN 1.0 by path: other services ask who may do what. See contract §8. */
export const makeAccessApi = (access: Access): Readonly<Record<string, AnswerAccess>> => {
  const endpoints = Object.entries(endpointsOf(access));
  const limit = makeLimit();
  return {
    '/.well-known/authzen-configuration': async (request) => {
      requireMethod(request, ['GET', 'HEAD']);
      const address = addressOf(request);
      const urls = endpoints.map(([name, [path]]): [string, string] => [name, address + path]);
      return Object.fromEntries([['policy_decision_point', address], ...urls]);
    },
    ...Object.fromEntries(
      endpoints.map(([, [path, answer]]): [string, AnswerAccess] => [
        path,
        async (request) => {
          requireMethod(request, ['POST']);
          // Only a browser sends it. No page may ask, not even one whose name an attacker resolves to this address.
          if (request.headers.origin !== undefined) throw forbidden('browsers may not use this port');
          const body = await readBody(request);
          checks ??= await import('typebox/value');
          return limit(() => answer(body, path));
        },
      ]),
    ),
  };
};
