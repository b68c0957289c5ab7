import type { IncomingMessage } from 'node:http';
import type { HttpError } from '../errors/http-error.ts';

const refusals = new WeakMap<IncomingMessage, HttpError>();

/** Stores the error of a request whose body Node's parser could not read. */
export const noteBodyRefusal = (request: IncomingMessage, refusal: HttpError): void =>
  void refusals.set(request, refusal);

/** Returns the stored error of a request, if any. */
export const bodyRefusalOf = (request: IncomingMessage): HttpError | undefined => refusals.get(request);
