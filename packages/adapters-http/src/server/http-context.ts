import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserId } from '@chapter/domain';
import type { BodySource } from '../requests/read-json.ts';

/** Facts about a request that its log line contains. */
export interface RequestState {
  /** The id in `X-Request-Id`, the log and the audit trail. */
  requestId: string;
  /** The id of the trace, if the request is traced. W3C Trace Context, section 3.2.2.3. */
  traceId?: string | undefined;
  /** The caller, once the token was verified. The username is null until the caller's rights have been read. */
  caller: { readonly id: UserId; readonly username: string | null } | null;
  /** The path pattern of the route (`/api/users/{id}`), or null if no route matches. */
  route: string | null;
}

/** The members of Koa's context that this package uses. */
export interface HttpContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly querystring: string;
  readonly state: RequestState;
  status: number;
  body: unknown;
  set(name: string, value: string): void;
  vary(field: string): void;
  /** Returns the content coding if the client accepts it, else false. */
  acceptsEncodings(encoding: string): string | false;
  set(headers: Record<string, string>): void;
}

/** Calls the inner layers. */
export type Next = () => Promise<unknown>;

/** The parameters in the path of a request. */
export interface PathParameters {
  readonly id?: string;
}

/** A method and path with the function that serves them. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A path template as in OpenAPI: `/api/users/{id}`. */
  readonly path: string;
  readonly serve: (ctx: HttpContext, parameters: PathParameters, readBytes: BodySource['readBytes']) => Promise<void>;
}
