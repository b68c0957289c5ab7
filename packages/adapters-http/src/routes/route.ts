import type { Actor, Origin } from '@chapter/domain';
import type { Static, TSchema } from 'typebox';
import type { OperationCode } from '../errors/problem-codes.ts';
import type { RequestInput } from '../requests/request-input.ts';

/** Where a request to a route comes from: always a connection, always a network. */
export type RequestOrigin = Origin & {
  readonly network: string;
  readonly isAbandoned: () => boolean;
  /** The `User-Agent` header, or null without one. */
  readonly userAgent: string | null;
};

type Path = `/api/${string}`;

/** The target of a path with `{id}`: the id in lower case; one that no stored thing has where it is no UUID. */
type Target<P extends Path> = P extends `${string}{id}${string}` ? { readonly id: string } : object;

/** A request to a public route, as its handler sees it. */
export type RouteRequest<Input, P extends Path = Path> = Target<P> & {
  readonly origin: RequestOrigin;
  /**
   * Reads the input, once: further calls return the same. For the use case to call when the caller is known to be allowed.
   *
   * @throws DomainError, HttpError for input that may not be sent.
   */
  readonly readInput: () => Input | Promise<Input>;
  readonly path: string;
  readonly queryString: string;
};

/** A request from a caller whose token was accepted. */
export type SignedInRequest<Input, P extends Path = Path> = RouteRequest<Input, P> & { readonly actor: Actor };

/** The response of a handler. */
export interface RouteResponse<Body> {
  readonly body: Body;
  /** A strong entity tag. */
  readonly etag?: string;
  /** Where what was created can be read. */
  readonly location?: string;
}

type BodyOf<Ok extends TSchema | null> = Ok extends TSchema ? Static<Ok> : null;

/** The description of a route, public or not. */
export interface RouteDescription<Input, Ok extends TSchema | null, P extends Path = Path> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As the specification writes it, slashes included. */
  readonly path: P;
  /** The name of the use case, which is the name of the policy's row. */
  readonly operationId: string;
  readonly tag: 'Authentication' | 'Users' | 'Divisions' | 'Service';
  readonly summary: string;
  readonly description: string;
  readonly input: RequestInput<Input>;
  readonly status: 200 | 201 | 204;
  /** The schema of the response's body, or null without a body. */
  readonly ok: Ok;
  /** A body that the OpenAPI document shows; null without a body. */
  readonly example: BodyOf<Ok>;
  /** What the use case may refuse with, beyond what every route of its kind does. */
  readonly problems: readonly OperationCode[];
  readonly responseHeaders?: readonly ('ETag' | 'Location')[];
  /** The `Cache-Control` of the response; `no-store` unless given. */
  readonly cache?: string;
}

type Handle<Request, Ok extends TSchema | null> = (
  request: Request,
) => Promise<RouteResponse<BodyOf<Ok>>> | RouteResponse<BodyOf<Ok>>;

/** An endpoint: what serves it, what checks it and what documents it. */
export interface Route extends Omit<RouteDescription<unknown, TSchema | null>, 'example'> {
  readonly example: unknown;
  /** Whether anyone may call it; then the actor is null. */
  readonly isPublic: boolean;
  readonly handle: Handle<RouteRequest<unknown> & { readonly actor: Actor | null }, null>;
}

/** Defines an endpoint for callers with a token. */
export const defineRoute = <Input, Ok extends TSchema | null, const P extends Path>(
  route: RouteDescription<Input, Ok, P> & { readonly handle: Handle<SignedInRequest<Input, P>, Ok> },
): Route => ({ ...route, isPublic: false }) as unknown as Route;

/** Defines an endpoint for anyone. */
export const definePublicRoute = <Input, Ok extends TSchema | null, const P extends Path>(
  route: RouteDescription<Input, Ok, P> & { readonly handle: Handle<RouteRequest<Input, P>, Ok> },
): Route => ({ ...route, isPublic: true }) as unknown as Route;
