import type { IncomingMessage } from 'node:http';
import type { HttpError } from '../errors/http-error.ts';

const refusals = new WeakMap<IncomingMessage, HttpError>();

/** Notes with what a request was refused whose body Node's parser has given up. */
export const breakOff = (request: IncomingMessage, refusal: HttpError): void => void refusals.set(request, refusal);

/** What {@link breakOff} has noted of a request. */
export const brokenOffBy = (request: IncomingMessage): HttpError | undefined => refusals.get(request);
