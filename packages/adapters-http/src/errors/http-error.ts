import type { HttpErrorCode } from './problem-codes.ts';

/** A refusal that only HTTP knows. The use cases refuse with DomainError. */
export class HttpError extends Error {
  readonly code: HttpErrorCode;
  /** Headers that go with the refusal, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = 'HttpError';
    this.code = code;
    this.headers = headers;
  }
}

/** The body is no JSON (RFC 8259), or more deeply nested than the service reads. */
export const malformedJson = (detail = 'the body is not well-formed JSON in UTF-8'): HttpError =>
  new HttpError('malformed_json', detail);

/** The body is larger than the service reads. RFC 9110, section 15.5.14. */
export const bodyTooLarge = (limit: number): HttpError =>
  new HttpError('body_too_large', `the body may have at most ${limit} bytes`, { Connection: 'close' });

/** The body arrives in more pieces than the service reads. */
export const tooManyChunks = (limit: number): HttpError =>
  new HttpError('body_too_large', `the body may have at most ${limit} chunks`, { Connection: 'close' });

/** The body is of another media type, charset or content coding than those that are read. RFC 9110, section 15.5.16. */
export const unsupportedMediaType = (detail: string, headers: Readonly<Record<string, string>> = {}): HttpError =>
  new HttpError('unsupported_media_type', detail, headers);

/** A request that is ambiguous or no request of this service at all. Contract, section 11. */
export const badRequest = (detail: string): HttpError => new HttpError('bad_request', detail, { Connection: 'close' });
