import type { IncomingMessage } from 'node:http';
import type { HttpError } from '../errors/http-error.ts';

const refusals = new WeakMap<IncomingMessage, HttpError>();

/** Notes with what a request was refused whose body Node's parser has given up. */
export const noteBodyRefusal = (request: IncomingMessage, refusal: HttpError): void =>
  void refusals.set(request, refusal);

/** What {@link noteBodyRefusal} has noted of a request. */
export const bodyRefusalOf = (request: IncomingMessage): HttpError | undefined => refusals.get(request);
