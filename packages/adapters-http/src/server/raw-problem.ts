import { STATUS_CODES } from 'node:http';
import type { HttpError } from '../errors/http-error.ts';
import { makeProblem, PROBLEM_TYPE } from '../errors/problem.ts';

/** Makes a problem and the text of a whole response with it, for connections that Koa does not serve. */
export const formatProblem = ({ code, message }: HttpError, requestId: string) => {
  const problem = makeProblem(code, message, requestId);
  const { status, body } = problem;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  return { problem, response: `${head.join('\r\n')}\r\n\r\n${body}` };
};
