import type { Actor, Origin } from '@chapter/domain';
import type { Static, TSchema } from 'typebox';
import type { OperationCode } from '../errors/problem-codes.ts';
import type { Asks } from '../requests/request-input.ts';

/** Where a request to a route comes from: always a connection, always a network. */
export type RequestOrigin = Origin & { readonly network: string; readonly isAbandoned: () => boolean };

/** A request to a route, as its handler sees it. */
export interface RouteRequest<Asked> {
  /** The id in the path, in lower case; one that no stored thing has where the path has none or no UUID. */
  readonly id: string;
  readonly origin: RequestOrigin;
  /** Reads what else was sent; for the use case to call, once the caller is known to be allowed. */
  readonly ask: () => Asked | Promise<Asked>;
  /** What `ask` answered, or undefined while nobody asked. */
  readonly asked: Asked | undefined;
  readonly path: string;
  readonly queryString: string;
}

/** The same, from a caller whose token was accepted. */
export interface SignedInRequest<Asked> extends RouteRequest<Asked> {
  readonly actor: Actor;
}

/** What a handler answers. */
export interface Answer<Body> {
  readonly body: Body;
  /** A strong entity tag. */
  readonly etag?: string;
  /** Where what was created can be read. */
  readonly location?: string;
}

type Path = `/api/${string}`;

interface RouteDescription<Asked, Ok extends TSchema | null> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As the specification writes it, slashes included. */
  readonly path: Path;
  /** The name of the use case, which is the name of the policy's row. */
  readonly operationId: string;
  readonly tag: 'Authentication' | 'Users' | 'Divisions' | 'Service';
  readonly summary: string;
  readonly description: string;
  readonly asks: Asks<Asked>;
  readonly status: 200 | 201 | 204;
  readonly ok: Ok;
  /** What the use case may refuse with, beyond what every route of its kind does. */
  readonly problems: readonly OperationCode[];
  readonly answers?: readonly ('ETag' | 'Location')[];
  /** The `Cache-Control` of the answer; `no-store` unless given. */
  readonly cache?: string;
}

type BodyOf<Ok extends TSchema | null> = Ok extends TSchema ? Static<Ok> : null;
type Handle<Request, Ok extends TSchema | null> = (
  request: Request,
) => Promise<Answer<BodyOf<Ok>>> | Answer<BodyOf<Ok>>;

/** An endpoint: what serves it, what checks it and what documents it. */
export interface Route extends RouteDescription<unknown, TSchema | null> {
  /** Whether it is for everybody; then the actor is null. */
  readonly isPublic: boolean;
  readonly handle: Handle<RouteRequest<unknown> & { readonly actor: Actor | null }, null>;
}

/** An endpoint for callers with a token. */
export const defineRoute = <Asked, Ok extends TSchema | null>(
  route: RouteDescription<Asked, Ok> & { readonly handle: Handle<SignedInRequest<Asked>, Ok> },
): Route => ({ ...route, isPublic: false }) as unknown as Route;

/** An endpoint for everybody. */
export const definePublicRoute = <Asked, Ok extends TSchema | null>(
  route: RouteDescription<Asked, Ok> & { readonly handle: Handle<RouteRequest<Asked>, Ok> },
): Route => ({ ...route, isPublic: true }) as unknown as Route;
