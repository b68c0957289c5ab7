import type { IncomingMessage } from 'node:http';
import type { Actor } from '@chapter/domain';
import type { BodySource } from '../requests/read-json.ts';

/** What is known of a request while it is served; the log line is made of it. */
export interface RequestState {
  /** Sent as `X-Request-Id`, and written into log and audit trail. */
  requestId: string;
  /** The caller, once the token was accepted. */
  caller: Pick<Actor, 'id' | 'username'> | null;
  /** The path pattern of the route (`/api/users/{id}`), or null where there is none. */
  route: string | null;
}

/** A request and its response, as far as this package uses them. Koa's context has this shape. */
export interface HttpContext {
  readonly req: IncomingMessage;
  readonly method: string;
  readonly path: string;
  readonly querystring: string;
  readonly state: RequestState;
  status: number;
  body: unknown;
  set(name: string, value: string): void;
  /** Adds a name to the `Vary` header. */
  vary(field: string): void;
  /** Returns the content coding if the client accepts it, else false. */
  acceptsEncodings(encoding: string): string | false;
  set(headers: Record<string, string>): void;
}

/** Calls the layers further in. */
export type Next = () => Promise<unknown>;

/** The parameters in the path of a request. */
export interface PathParameters {
  readonly id?: string;
}

/** A path and what serves it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As OpenAPI writes it: `/api/users/{id}`. */
  readonly path: string;
  readonly serve: (ctx: HttpContext, parameters: PathParameters, readBytes: BodySource['readBytes']) => Promise<void>;
}
