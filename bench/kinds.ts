import type { Caller, Callers } from './data/callers.ts';
import { personOf, type Size } from './data/people.ts';
import type { PlacesInList } from './deep-cursors.ts';

/** One request as the load generators send it. `{n}` in a body becomes something new each time. */
export interface LoadRequest {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
}

/** What requests are made of. */
export interface World extends Callers {
  readonly size: Size;
  /** Of the deep division's list. */
  readonly cursors: PlacesInList;
  /** Everybody's. */
  readonly password: string;
}

/** A kind of request. */
export interface Kind {
  readonly name: string;
  /** What the service must reach: throughput, at least, and CPU of server and database, at most, in parts of the floor's. */
  readonly goal?: { readonly throughput: number; readonly cpu: number };
  /** Whether a password is hashed, so that seconds have few requests. */
  readonly hashes?: boolean;
  /** The request with a number. */
  readonly request: (world: World, at: number) => LoadRequest;
}

const pick = <T>(from: readonly T[], at: number): T => {
  const found = from[(at * 7919) % from.length];
  if (found === undefined) throw new Error('there is nothing to pick from');
  return found;
};

/** The id of a member of the caller's division who is no caller themself. */
const memberOf = ({ size }: World, { division }: Caller, at: number): string =>
  personOf(size, division + (2 + (at % (size.members - 2))) * size.divisions).id;

const get = ({ token }: Caller, path: string): LoadRequest => ({ method: 'GET', path, token });

const WORDS = 'berg mann ada lind cas noor zoë mar.ing jonas+val quist rosa ster ulla sand+berg olga gmail'.split(' ');

/** All kinds of requests that are measured. Their order is that of the table. */
export const kinds: readonly Kind[] = [
  {
    name: 'read a user',
    goal: { throughput: 0.6, cpu: 1.4 },
    request: (world, at) => {
      const caller = pick(world.staff, at);
      return get(caller, `/api/users/${at % 10 === 0 ? caller.id : memberOf(world, caller, at)}/`);
    },
  },
  {
    name: 'list, default order',
    goal: { throughput: 0.8, cpu: 1.4 },
    request: ({ staff }, at) => get(pick(staff, at), '/api/users/'),
  },
  {
    name: 'list, filter and order',
    goal: { throughput: 0.7, cpu: 1.5 },
    request: ({ staff }, at) =>
      get(
        pick(staff, at),
        `/api/users/?groups=User&is_active=true&birthdate__gte=${1955 + (at % 30)}-06-01&ordering=-last_name`,
      ),
  },
  {
    name: 'search',
    goal: { throughput: 0.65, cpu: 1.6 },
    request: ({ staff }, at) =>
      get(pick(staff, at), `/api/users/?search=${encodeURIComponent(pick(WORDS, at)).replace('%2B', '+')}`),
  },
  {
    name: 'first page of 100,000',
    request: ({ deepStaff }, at) => get(pick(deepStaff, at), '/api/users/'),
  },
  {
    name: 'deep page',
    goal: { throughput: 0.7, cpu: 1.5 },
    request: ({ deepStaff, cursors }, at) => get(pick(deepStaff, at), `/api/users/?cursor=${pick(cursors.deep, at)}`),
  },
  {
    name: "division's users",
    goal: { throughput: 0.6, cpu: 1.5 },
    request: ({ staff }, at) => {
      const caller = pick(staff, at);
      return get(caller, `/api/division/${caller.divisionId}/users/`);
    },
  },
  {
    name: 'change a user',
    goal: { throughput: 0.35, cpu: 3 },
    request: (world, at) => {
      const caller = pick(world.leaders, at);
      const path = `/api/users/${memberOf(world, caller, at)}`;
      return { method: 'PATCH', path, token: caller.token, body: '{"first_name":"Name {n}"}' };
    },
  },
  {
    name: 'create a user',
    goal: { throughput: 0.9, cpu: 1.1 },
    hashes: true,
    request: ({ leaders, password }, at) => {
      const body = `{"username":"new.{n}","password":${JSON.stringify(password)}}`;
      return { method: 'POST', path: '/api/users/', token: pick(leaders, at).token, body };
    },
  },
  {
    name: 'log in',
    goal: { throughput: 0.9, cpu: 1.1 },
    hashes: true,
    request: ({ staff, password }, at) => {
      const body = JSON.stringify({ username: pick(staff, at).username, password });
      return { method: 'POST', path: '/api/auth/login/', body };
    },
  },
];

/**
 * The kind with a name.
 *
 * @throws Error where there is none.
 */
export const kindNamed = (name: string): Kind => {
  const found = kinds.find((kind) => kind.name === name);
  if (!found) throw new Error(`there is no kind of request named ${name}`);
  return found;
};
