import type { Actor, Origin } from '@chapter/domain/api';
import type { Static, TSchema } from 'typebox';
import type { OperationCode } from '../errors/problem-codes.ts';
import { noInput, type RequestInput } from '../requests/request-input.ts';

/** The origin of an HTTP request, which always has a connection and a network. */
export type RequestOrigin = Origin & {
  readonly network: string;
  readonly isAbandoned: () => boolean;
  readonly userAgent: string | null;
};

type Path = `/api/${string}`;

/** The id in a path with `{id}`, in lower case. If it is not a UUID, it is replaced by one that no record has. */
type Target<P extends Path> = P extends `${string}{id}${string}` ? { readonly id: string } : object;

/** The request that the handler of a public route gets. */
export type RouteRequest<Input, P extends Path = Path> = Target<P> & {
  readonly origin: RequestOrigin;
  /**
   * Reads the input once; further calls return the same result. The use case authorizes the caller before this call.
   *
   * @throws DomainError, HttpError for invalid input.
   */
  readonly readInput: () => Input | Promise<Input>;
  readonly path: string;
  readonly queryString: string;
  readonly accept: string | undefined;
};

/**
 * A request from a caller whose token was verified. Their current rights are being read. `actor` rejects with
 * DomainError `invalid_token` if the user or session has ended, and `rate_limited` after too many changes.
 */
export type SignedInRequest<Input, P extends Path = Path> = RouteRequest<Input, P> & { readonly actor: Promise<Actor> };

/** The response of a handler. */
export interface RouteResponse<Body> {
  readonly body: Body;
  readonly etag?: string;
  readonly location?: string;
}

/** The response of a handler that streams CSV (contract §11). */
export interface CsvResponse {
  readonly fileName: string;
  /** The header row, with its line end. */
  readonly header: string;
  /** Opens the export. Not called for HEAD. `close` ends it at once, and may be called at any time and repeatedly. */
  readonly open: () => Promise<{ readonly chunks: AsyncIterable<string>; readonly close: () => Promise<void> }>;
}

type BodyOf<Ok extends TSchema | null> = Ok extends TSchema ? Static<Ok> : null;

/** The description of a route, public or not. */
export interface RouteDescription<Input, Ok extends TSchema | null, P extends Path = Path> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The exact path, including a trailing slash (contract §1). */
  readonly path: P;
  /** The name of the use case and of its row in the policy. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Absent, the request takes neither parameters nor a body. */
  readonly input?: RequestInput<Input>;
  /** 200 unless given. */
  readonly status?: 200 | 201 | 204;
  /** The schema of the response's body, or null without a body. */
  readonly ok: Ok;
  /** An example of the body for the OpenAPI document. If absent, derived from the schema. */
  readonly example?: BodyOf<Ok>;
  /** An example of the response as CSV, if a client can ask for that. */
  readonly csvExample?: string;
  /** The problems that this operation can return in addition to those that all routes have. */
  readonly problems?: readonly OperationCode[];
  readonly responseHeaders?: readonly ('ETag' | 'Location')[];
  /** The `Cache-Control` of the response; `no-store` unless given. */
  readonly cache?: string;
}

type AnyResponse<Body> = RouteResponse<Body> | CsvResponse;

type Handle<Request, Body> = (request: Request) => Promise<AnyResponse<Body>>;

type AnyDescription = RouteDescription<unknown, TSchema | null>;
type Defaulted = 'input' | 'status' | 'problems';

/** An endpoint before it has a tag: its handler, its input and its documentation. */
export interface UntaggedRoute
  extends Omit<AnyDescription, 'example' | Defaulted>,
    Required<Pick<AnyDescription, Defaulted>> {
  readonly example?: unknown;
  /** Whether the endpoint needs no access token. The actor of its requests is null. */
  readonly isPublic: boolean;
  // A method, whose parameter may have a narrower type: the server passes what the route has described.
  handle(request: RouteRequest<unknown> & { readonly actor: Promise<Actor | null> }): Promise<AnyResponse<unknown>>;
}

/** An endpoint. */
export interface Route extends UntaggedRoute {
  readonly tag: 'Authentication' | 'Users' | 'Divisions' | 'Service';
}

const DEFAULTS = { input: noInput, status: 200, problems: [] } as const;

/** The part of a description that says that the response has no body. */
export const NO_CONTENT = { status: 204, ok: null, example: null } as const;

/** Returns the response of an endpoint without a body, once its work is done. */
export const noContent = async (work: Promise<void>): Promise<RouteResponse<null>> => {
  await work;
  return { body: null };
};

/** Defines an endpoint that needs an access token. */
export const defineRoute = <Ok extends TSchema | null, const P extends Path, Input = void>(
  route: RouteDescription<Input, Ok, P> & { readonly handle: Handle<SignedInRequest<Input, P>, BodyOf<Ok>> },
): UntaggedRoute => ({ ...DEFAULTS, ...route, isPublic: false });

/** Defines an endpoint that needs no access token. */
export const definePublicRoute = <Ok extends TSchema | null, const P extends Path, Input = void>(
  route: RouteDescription<Input, Ok, P> & {
    readonly handle: Handle<RouteRequest<Input, P> & { readonly actor: Promise<null> }, BodyOf<Ok>>;
  },
): UntaggedRoute => ({ ...DEFAULTS, ...route, isPublic: true });
