import type Koa from 'koa';

/** What is known of a request while it is served; the log line is made of it. */
export interface RequestState {
  /** Answered as `X-Request-Id`, and written into log and audit trail. */
  requestId: string;
  /** The id of the caller, once the token was accepted. */
  callerId: string | null;
  /** The path pattern of the route (`/api/users/{id}`), or null where there is none. */
  route: string | null;
}

/** A request and its answer, as Koa hands them on. */
export type Context = Koa.ParameterizedContext<RequestState>;
