import type { BenchCaller, BenchWorld } from './world.ts';

/** One request of a load. `{n}` in a body is replaced by a new value each time. */
export interface LoadRequest {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
}

/** Returns a request by its number. */
type MakeRequest = (world: BenchWorld, at: number) => LoadRequest;

export interface Kind {
  readonly name: string;
  readonly request: MakeRequest;
  /** The maximum CPU of server and database relative to the baseline that lets PostgreSQL write JSON, by connections. */
  readonly goals: Readonly<Record<number, number>>;
}

const pick = <T>(from: readonly T[], at: number): T => from[(at * 7919) % from.length] as T;

const get = ({ token }: BenchCaller, path: string): LoadRequest => ({ method: 'GET', path, token });

const WORDS = 'berg mann anna feld wanda schmidt zoë a.ba anna+son stein kri example'.split(' ');

const readUser: MakeRequest = ({ staff }, at) => {
  const caller = pick(staff, at);
  return get(caller, `/api/users/${at % 10 === 0 ? caller.id : pick(caller.members, at)}/`);
};

const list: MakeRequest = ({ staff }, at) => get(pick(staff, at), '/api/users/');

const filter: MakeRequest = ({ staff }, at) => {
  const since = `${1955 + (at % 30)}-06-01`;
  return get(pick(staff, at), `/api/users/?groups=User&is_active=true&birthdate__gte=${since}&ordering=-last_name`);
};

const search: MakeRequest = ({ staff }, at) => get(pick(staff, at), `/api/users/?search=${encodeURI(pick(WORDS, at))}`);

/** A page around nine tenths of the large division's list. */
const deepPage: MakeRequest = ({ deepStaff, deepCursors }, at) =>
  get(pick(deepStaff, at), `/api/users/?cursor=${pick(deepCursors, at)}`);

const listDivisionUsers: MakeRequest = ({ staff }, at) =>
  get(pick(staff, at), `/api/division/${pick(staff, at).divisionId}/users/`);

const changeUser: MakeRequest = ({ leaders }, at) => {
  const { token, members } = pick(leaders, at);
  return { method: 'PATCH', path: `/api/users/${pick(members, at)}`, token, body: '{"first_name":"Name {n}"}' };
};

/** Multiples of it are spread evenly between whole numbers, also every second or every eighth of them. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/** Of 100 requests, 80 read a user, 10 a list, 5 search and 5 change a user. */
const mix: MakeRequest = (world, at) => {
  const percent = ((at * GOLDEN_RATIO) % 1) * 100;
  const request = percent < 80 ? readUser : percent < 90 ? list : percent < 95 ? search : changeUser;
  return request(world, at);
};

/** All kinds of requests that are measured, in the order of the report. */
export const kinds: readonly Kind[] = [
  { name: 'read a user', request: readUser, goals: { 1: 2.2, 32: 1.45 } },
  { name: 'list, default order', request: list, goals: { 1: 1.8, 32: 1.35 } },
  { name: 'list, filter and order', request: filter, goals: { 32: 1.25 } },
  { name: 'search', request: search, goals: { 32: 1.2 } },
  { name: 'deep page', request: deepPage, goals: { 32: 1.6 } },
  { name: "division's users", request: listDivisionUsers, goals: { 32: 2.2 } },
  { name: 'change a user', request: changeUser, goals: { 32: 2.2 } },
  { name: 'mix 80/10/5/5', request: mix, goals: { 32: 1.5 } },
];

const FIELDS = ['username', 'email', 'first_name', 'last_name'];
const OPERATORS = ['', '__lt', '__lte', '__gt', '__gte', '__icontains', '__istartswith'];
const ORDERS = [...FIELDS, 'id', 'birthdate', 'date_joined', '-id'];
const CONDITIONS = FIELDS.flatMap((field) => OPERATORS.map((operator) => `${field}${operator}=marta`));
const SHAPES = ORDERS.flatMap((order) => CONDITIONS.map((condition) => `${condition}&ordering=${order}`)).slice(0, 200);

/** A list of one of 200 other shapes than the kinds have. They displace what the service keeps about these. */
export const otherShape: MakeRequest = ({ staff }, at) =>
  get(pick(staff, at), `/api/users/?groups=User&is_staff=false&${pick(SHAPES, at)}`);

/** The number of different requests of a load, which vary in caller, target and token. Four fifths of it are 4,096. */
const REQUESTS = 5120;

export const requestsOf = (request: MakeRequest, world: BenchWorld): readonly LoadRequest[] =>
  Array.from({ length: REQUESTS }, (_, at) => request(world, at));
