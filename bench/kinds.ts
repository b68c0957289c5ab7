import { type BenchCaller, type BenchWorld, PASSWORD } from './world.ts';

/** One request of a load. `{n}` in a body is replaced by a new value each time. */
export interface LoadRequest {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
}

/** A kind of request. */
export interface Kind {
  readonly name: string;
  /** The minimum throughput and the maximum CPU of server and database, relative to the baseline. */
  readonly goal?: { readonly throughput: number; readonly cpu: number };
  /** Whether the service hashes a password. The baseline then does nothing else. */
  readonly hashes: boolean;
  /** Returns a request by its number. */
  readonly request: (world: BenchWorld, at: number) => LoadRequest;
}

const pick = <T>(from: readonly T[], at: number): T => from[(at * 7919) % from.length] as T;

const get = ({ token }: BenchCaller, path: string): LoadRequest => ({ method: 'GET', path, token });

const WORDS = 'berg mann anna feld wanda schmidt zoë a.ba anna+son stein kri example'.split(' ');

const kind = (name: string, request: Kind['request'], throughput?: number, cpu = 0, hashes = false): Kind =>
  throughput === undefined ? { name, request, hashes } : { name, request, hashes, goal: { throughput, cpu } };

const readUser: Kind['request'] = ({ staff }, at) => {
  const caller = pick(staff, at);
  return get(caller, `/api/users/${at % 10 === 0 ? caller.id : pick(caller.members, at)}/`);
};

const filter: Kind['request'] = ({ staff }, at) => {
  const since = `${1955 + (at % 30)}-06-01`;
  return get(pick(staff, at), `/api/users/?groups=User&is_active=true&birthdate__gte=${since}&ordering=-last_name`);
};

const search: Kind['request'] = ({ staff }, at) =>
  get(pick(staff, at), `/api/users/?search=${encodeURI(pick(WORDS, at))}`);

const listDivisionUsers: Kind['request'] = ({ staff }, at) => {
  const caller = pick(staff, at);
  return get(caller, `/api/division/${caller.divisionId}/users/`);
};

const changeUser: Kind['request'] = ({ leaders }, at) => {
  const { token, members } = pick(leaders, at);
  return { method: 'PATCH', path: `/api/users/${pick(members, at)}`, token, body: '{"first_name":"Name {n}"}' };
};

const createUser: Kind['request'] = ({ leaders }, at) => {
  const body = `{"username":"new.{n}","password":"${PASSWORD}"}`;
  return { method: 'POST', path: '/api/users/', token: pick(leaders, at).token, body };
};

const logIn: Kind['request'] = ({ staff }, at) => {
  const body = JSON.stringify({ username: pick(staff, at).username, password: PASSWORD });
  return { method: 'POST', path: '/api/auth/login/', body };
};

/** Reads of a user. */
export const reads = kind('read a user', readUser, 0.6, 1.4);

/** First pages of the large division's list. */
export const firstPages = kind('first page of 100,000', ({ deepStaff }, at) => get(pick(deepStaff, at), '/api/users/'));

/** Pages around nine tenths of the large division's list. */
export const deepPages = kind(
  'deep page',
  ({ deepStaff, deepCursors }, at) => get(pick(deepStaff, at), `/api/users/?cursor=${pick(deepCursors, at)}`),
  0.7,
  1.5,
);

/** All kinds of requests that are measured, in the order of the report. */
export const kinds: readonly Kind[] = [
  reads,
  kind('list, default order', ({ staff }, at) => get(pick(staff, at), '/api/users/'), 0.8, 1.4),
  kind('list, filter and order', filter, 0.7, 1.5),
  kind('search', search, 0.65, 1.6),
  firstPages,
  deepPages,
  kind("division's users", listDivisionUsers, 0.6, 1.5),
  kind('change a user', changeUser, 0.35, 3),
  kind('create a user', createUser, 0.9, 1.1, true),
  kind('log in', logIn, 0.9, 1.1, true),
];

/** The number of different requests of a kind, which vary in caller, target and token. */
const REQUESTS_PER_KIND = 5000;

/** Returns the requests of a kind. */
export const requestsOf = ({ request }: Kind, world: BenchWorld): readonly LoadRequest[] =>
  Array.from({ length: REQUESTS_PER_KIND }, (_, at) => request(world, at));
