import type { BenchCaller, BenchWorld } from './world.ts';

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
  /** The maximum CPU of server and database relative to the baseline that lets PostgreSQL write JSON, by connections. */
  readonly goals: Readonly<Record<number, number>>;
  /** Returns a request by its number. */
  readonly request: (world: BenchWorld, at: number) => LoadRequest;
}

const pick = <T>(from: readonly T[], at: number): T => from[(at * 7919) % from.length] as T;

const get = ({ token }: BenchCaller, path: string): LoadRequest => ({ method: 'GET', path, token });

const WORDS = 'berg mann anna feld wanda schmidt zoë a.ba anna+son stein kri example'.split(' ');

const kind = (name: string, request: Kind['request'], goals: Kind['goals']): Kind => ({ name, request, goals });

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

const list: Kind['request'] = ({ staff }, at) => get(pick(staff, at), '/api/users/');

/** Multiples of it are spread evenly between whole numbers, also every second or every eighth of them. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/** Of 100 requests, 80 read a user, 10 a list, 5 search and 5 change a user. */
const mix: Kind['request'] = (world, at) => {
  const percent = ((at * GOLDEN_RATIO) % 1) * 100;
  if (percent < 80) return readUser(world, at);
  if (percent < 90) return list(world, at);
  return percent < 95 ? search(world, at) : changeUser(world, at);
};

/** Pages around nine tenths of the large division's list. */
const deepPage: Kind['request'] = ({ deepStaff, deepCursors }, at) =>
  get(pick(deepStaff, at), `/api/users/?cursor=${pick(deepCursors, at)}`);

/** All kinds of requests that are measured, in the order of the report. */
export const kinds: readonly Kind[] = [
  kind('read a user', readUser, { 1: 2.2, 32: 1.45 }),
  kind('list, default order', list, { 1: 1.8, 32: 1.35 }),
  kind('list, filter and order', filter, { 32: 1.25 }),
  kind('search', search, { 32: 1.2 }),
  kind('deep page', deepPage, { 32: 1.6 }),
  kind("division's users", listDivisionUsers, { 32: 2.2 }),
  kind('change a user', changeUser, { 32: 2.2 }),
  kind('mix 80/10/5/5', mix, { 32: 1.5 }),
];

const FIELDS = ['username', 'email', 'first_name', 'last_name'];
const OPERATORS = ['', '__lt', '__lte', '__gt', '__gte', '__icontains', '__istartswith'];
const SHAPES = [...FIELDS, 'id', 'birthdate', 'date_joined'].flatMap((order) =>
  [order, `-${order}`].flatMap((ordering) =>
    FIELDS.flatMap((field) => OPERATORS.map((operator) => `${field}${operator}=marta&ordering=${ordering}`)),
  ),
);

/** 200 lists of other shapes than the kinds have, which displace what the service keeps about these. */
export const otherShapes: Pick<Kind, 'request'> = {
  request: ({ staff }, at) => get(pick(staff, at), `/api/users/?groups=User&is_staff=false&${SHAPES[at % 200]}`),
};

/** The number of different requests of a kind, which vary in caller, target and token. Four fifths of it are 4,096. */
const REQUESTS_PER_KIND = 5120;

/** Returns the requests of a kind. */
export const requestsOf = ({ request }: Pick<Kind, 'request'>, world: BenchWorld): readonly LoadRequest[] =>
  Array.from({ length: REQUESTS_PER_KIND }, (_, at) => request(world, at));
