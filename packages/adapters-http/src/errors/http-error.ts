import type { HttpErrorCode } from './problem-codes.ts';

/** An error of the HTTP layer. Use cases throw DomainError. */
export class HttpError extends Error {
  readonly code: HttpErrorCode;
  /** Headers of the response, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = 'HttpError';
    this.code = code;
    this.headers = headers;
  }
}

/** The body is not JSON (RFC 8259) or is nested too deeply. */
export const malformedJson = (detail = 'the body is not well-formed JSON in UTF-8'): HttpError =>
  new HttpError('malformed_json', detail);

/** The body has more than `limit` bytes. RFC 9110, section 15.5.14. */
export const bodyTooLarge = (limit: number): HttpError =>
  new HttpError('body_too_large', `the body may have at most ${limit} bytes`, { Connection: 'close' });

/** The body has more than `limit` chunks. */
export const tooManyChunks = (limit: number): HttpError =>
  new HttpError('body_too_large', `the body may have at most ${limit} chunks`, { Connection: 'close' });

/** The media type, charset or content coding of the body is not supported. RFC 9110, section 15.5.16. */
export const unsupportedMediaType = (detail: string, headers: Readonly<Record<string, string>> = {}): HttpError =>
  new HttpError('unsupported_media_type', detail, headers);

/** The request is ambiguous or cannot be parsed (contract §1). */
export const badRequest = (detail: string): HttpError => new HttpError('bad_request', detail, { Connection: 'close' });

/** The body has a transfer coding other than `chunked` alone. RFC 9112, section 6.1. */
export const unsupportedTransferCoding = (): HttpError =>
  new HttpError('not_implemented', 'the only supported Transfer-Encoding is `chunked`', { Connection: 'close' });
