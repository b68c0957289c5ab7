import { expect } from 'chai';
import { type LoggedRequest, logRequestText } from '../../src/server/request-telemetry.ts';

const ID = '0190a000-0000-7000-8000-00000000000f';

const written = (request: Partial<LoggedRequest>): readonly string[] => {
  const lines: string[] = [];
  const write = (level: string) => (text: string) => void lines.push(`${level} ${text}`);
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  logRequestText(log as never)({
    requestId: 'r1',
    caller: null,
    method: 'GET',
    route: '/api/users/',
    path: '/api/users/',
    status: 200,
    milliseconds: 9.5,
    ...request,
  });
  return lines;
};

describe('The log for people', () => {
  const caller = { id: ID, username: 'leader' };
  const cases: [string, Partial<LoggedRequest>, string][] = [
    ['method, path, status, duration and caller', { caller }, 'info GET /api/users/ 200 9.5 ms leader'],
    ['no caller without a token', {}, 'info GET /api/users/ 200 9.5 ms'],
    [
      'the id in a path',
      { route: '/api/users/{id}/', path: `/api/users/${ID}/` },
      `info GET /api/users/${ID}/ 200 9.5 ms`,
    ],
    [
      'nothing of a path that is no id',
      { route: '/api/users/{id}/', path: '/api/users/secret/' },
      'info GET /api/users/{id}/ 200 9.5 ms',
    ],
    [
      'code and detail of a problem',
      { caller, status: 403, problem: { code: 'forbidden', detail: 'only a Leader may do this', errors: [] } },
      'info GET /api/users/ 403 9.5 ms leader forbidden: only a Leader may do this',
    ],
    [
      'nothing of an unknown path',
      { route: null, path: '/secret', status: 404, problem: { code: 'not_found', detail: 'no such path', errors: [] } },
      'info GET (no route) 404 9.5 ms not_found: no such path',
    ],
    [
      'what could not be read as a request',
      {
        method: null,
        route: null,
        path: null,
        status: 400,
        milliseconds: null,
        problem: { code: 'bad_request', detail: 'this is not an HTTP request', errors: [] },
      },
      'info (unreadable request) 400 bad_request: this is not an HTTP request',
    ],
    [
      'a part of the documentation page at debug level',
      { route: '/api/docs/assets/1/a.css', path: '/api/docs/assets/1/a.css' },
      'debug GET /api/docs/assets/1/a.css 200 9.5 ms',
    ],
    [
      'the documentation page itself at info level',
      { route: '/api/docs/', path: '/api/docs/' },
      'info GET /api/docs/ 200 9.5 ms',
    ],
  ];
  for (const [what, request, line] of cases) {
    it(`has ${what}`, () => expect(written(request)).to.deep.equal([line]));
  }

  it('names the first three faults, and how many more there are', () => {
    const errors = ['a', 'b', '', 'd', 'e'].map((field) => ({ field, code: 'required', detail: 'is required' }));
    const problem = { code: 'validation_failed', detail: 'some fields are not valid', errors } as const;
    expect(written({ status: 422, problem })).to.deep.equal([
      'info GET /api/users/ 422 9.5 ms validation_failed: a: is required; b: is required; body: is required; 2 more',
    ]);
  });

  it('escapes names from the request that would move the cursor of a terminal or begin a line', () => {
    const errors = [{ field: '\u001b[2J\n\u202e', code: 'unknown_field', detail: 'is unknown' }];
    const problem = { code: 'validation_failed', detail: '', errors } as const;
    expect(written({ status: 422, problem })[0]).to.include(' \\u{1b}[2J\\u{a}\\u{202e}: is unknown');
  });
});
