import { DomainError, fieldForbidden, rateLimited, unavailable, validationFailed } from '@chapter/domain/api';
import { expect } from 'chai';
import { wireFault } from '../../src/errors/faults.ts';
import { HttpError, loggedError, problemOf } from '../../src/errors/problem.ts';

const bodyOf = (error: unknown) => JSON.parse(problemOf(error, { requestId: 'r1' }).body) as Record<string, unknown>;

describe('A problem', () => {
  it('has the members of RFC 9457, a stable code and the request id', () => {
    expect(bodyOf(new DomainError('username_taken', 'this username is taken'))).to.deep.equal({
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'this username is taken',
      code: 'username_taken',
      request_id: 'r1',
    });
  });

  it('uses the names of fields on the wire', () => {
    const faults = [
      { field: 'firstName', code: 'too_long', detail: 'd' } as const,
      { field: '', code: 'invalid_type', detail: 'd' } as const,
      wireFault('firstName', 'unknown_field', 'd'),
    ];
    expect(bodyOf(validationFailed(faults))['errors']).to.deep.equal([
      { field: 'first_name', code: 'too_long', detail: 'd' },
      { field: '', code: 'invalid_type', detail: 'd' },
      { field: 'firstName', code: 'unknown_field', detail: 'd' },
    ]);
    expect(problemOf(fieldForbidden(faults), { requestId: 'r1' })).to.include({ status: 403, code: 'field_forbidden' });
  });

  it('gives Retry-After in whole seconds, at least 1', () => {
    const limited = problemOf(rateLimited(61.2), { requestId: 'r1' });
    expect([limited.status, limited.headers['Retry-After']]).to.deep.equal([429, '62']);
    const overloaded = problemOf(unavailable(undefined, 0), { requestId: 'r1' });
    expect([overloaded.status, overloaded.headers['Retry-After']]).to.deep.equal([503, '1']);
  });

  it('asks for a bearer token as in RFC 6750', () => {
    const challenge = (code: 'authentication_required' | 'invalid_token' | 'invalid_credentials') =>
      problemOf(new DomainError(code, 'd'), { requestId: 'r1' }).headers['WWW-Authenticate'];
    expect(challenge('authentication_required')).to.equal('Bearer realm="chapter"');
    expect(challenge('invalid_credentials')).to.equal('Bearer realm="chapter"');
    expect(challenge('invalid_token')).to.equal('Bearer realm="chapter", error="invalid_token"');
  });

  it('has the headers of its error, its media type, and must not be cached', () => {
    const error = new HttpError('method_not_allowed', 'd', { Allow: 'GET, HEAD' });
    expect(problemOf(error, { requestId: 'r1' })).to.deep.include({
      status: 405,
      headers: { Allow: 'GET, HEAD', 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
    });
  });

  it('exposes nothing about an unexpected error', () => {
    const { body, status } = problemOf(new Error('relation "user_account" violates secret'), { requestId: 'r1' });
    expect(status).to.equal(500);
    expect(body).to.not.match(/relation|secret|stack|user_account/);
    expect(problemOf('thrown text', { requestId: 'r1' }).status).to.equal(500);
  });
});

describe('An error in the log', () => {
  it('shows type, code and stack, without the message', () => {
    const cause = Object.assign(new Error('key (email)=(ada@example.org) exists'), { code: '23505', detail: 'ada' });
    const logged = loggedError(new DomainError('unavailable', 'with a secret', { cause }));
    expect(logged.type).to.equal('DomainError');
    expect(logged.stack[0]).to.match(/^at .*problem\.test\.ts/);
    expect(logged.cause).to.include({ type: 'Error', code: '23505' });
    expect(JSON.stringify(logged)).to.not.match(/ada@|secret/);
  });

  it('shows the message if the engine wrote it', () => {
    expect(loggedError(new TypeError('x is not a function')).message).to.equal('x is not a function');
    expect(loggedError(undefined)).to.deep.equal({ type: 'undefined', stack: [] });
  });
});
