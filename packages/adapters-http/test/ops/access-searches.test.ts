import { expect } from 'chai';
import { type AccessPort, entity, makeAccessPort, SEARCHES } from './access-port.ts';

const read = { name: 'getUser' };

describe('Searches of AuthZEN 1.0 (section 8)', () => {
  let port: AccessPort;
  before(async () => {
    port = await makeAccessPort();
  });
  after(() => port.close());

  const subjects = () => ({ subject: { type: 'user' }, action: read, resource: entity(port.bob) });
  const resources = () => ({ subject: entity(port.alice), action: read, resource: { type: 'user' } });
  const actions = () => ({ subject: entity(port.bob), resource: entity(port.bob) });

  it('find subjects, resources and actions', async () => {
    const both = { page: { next_token: '', count: 2 }, results: [entity(port.alice), entity(port.bob)] };
    expect(await port.ok(SEARCHES.subject, subjects())).to.deep.equal(both);
    expect(await port.ok(SEARCHES.resource, resources())).to.deep.equal(both);
    const own = 'createAccessToken endAccessToken endOwnSession getUser listAccessTokens listOwnSessions updateUser';
    const names = own.split(' ');
    expect((await port.ok(SEARCHES.action, actions())).results).to.deep.equal(names.map((name) => ({ name })));
  });

  it('ignore the id of what they search for, properties and context', async () => {
    const context = { time: '2024-10-26T01:22-07:00' };
    const properties = { status: 'archived' };
    for (const [path, body, count] of [
      [SEARCHES.subject, { ...subjects(), subject: { type: 'user', id: 5, properties } }, 2],
      [SEARCHES.resource, { ...resources(), resource: { ...entity(port.bob), properties } }, 2],
      [SEARCHES.action, { ...actions(), action: 5 }, 7],
    ] as const) {
      expect((await port.ok(path, { ...body, context })).results).to.have.lengthOf(count);
    }
  });

  it('return their results in parts, whose tokens repeat the limit of the first', async () => {
    for (const [path, body] of [
      [SEARCHES.subject, subjects()],
      [SEARCHES.resource, resources()],
      [SEARCHES.action, actions()],
    ] as const) {
      const found: unknown[] = [];
      let page: { readonly limit?: number; readonly token?: string } = { limit: 1 };
      while (page.token !== '') {
        const part = await port.ok(path, { ...body, page });
        expect(part.page.count).to.equal(1);
        found.push(...part.results);
        page = { token: part.page.next_token, ...(found.length % 2 && { limit: 1 }) };
      }
      expect(found).to.deep.equal((await port.ok(path, body)).results);
    }
    const none = await port.ok(SEARCHES.subject, { ...subjects(), page: { limit: 0 } });
    expect([none.results, none.page.count, none.page.next_token === '']).to.deep.equal([[], 0, false]);
    expect((await port.ok(SEARCHES.subject, { ...subjects(), page: { limit: 1e9 } })).results).to.have.lengthOf(2);
  });

  it('refuse a token of another search or limit, and a malformed page', async () => {
    const { page } = await port.ok(SEARCHES.subject, { ...subjects(), page: { limit: 1 } });
    const token: string = page.next_token;
    const other = 'page.token is not the next_token of a search for the same';
    for (const [message, path, body] of [
      [other, SEARCHES.subject, { ...subjects(), action: { name: 'updateUser' }, page: { token } }],
      [other, SEARCHES.subject, { ...subjects(), context: { time: 'now' }, page: { token } }],
      [other, SEARCHES.resource, { ...subjects(), subject: entity(port.alice), page: { token } }],
      [other, SEARCHES.subject, { ...subjects(), page: { token: `${token}!` } }],
      [other, SEARCHES.subject, { ...subjects(), page: { token: '' } }],
      [
        'page.limit must be the same for all parts of a search',
        SEARCHES.subject,
        { ...subjects(), page: { token, limit: 2 } },
      ],
      ['page.limit must be >= 0', SEARCHES.subject, { ...subjects(), page: { limit: -1 } }],
      ['page.limit must be integer', SEARCHES.action, { ...actions(), page: { limit: 1.5 } }],
      ['page.token must be string', SEARCHES.action, { ...actions(), page: { token: 1 } }],
      ['page must be object', SEARCHES.resource, { ...resources(), page: 'next' }],
    ] as const) {
      await port.refused(message, path, body);
    }
    // A forged position reads from the start, and a forged limit is bounded.
    const forged = { token: token.replace(/\.1\..*/, '.999.nonsense') };
    expect((await port.ok(SEARCHES.subject, { ...subjects(), page: forged })).results).to.have.lengthOf(2);
  });

  it('find nothing for unknown names', async () => {
    for (const [path, body] of [
      [SEARCHES.subject, { ...subjects(), subject: { type: 'spaceship' } }],
      [SEARCHES.subject, { ...subjects(), action: { name: 'read' } }],
      [SEARCHES.subject, { ...subjects(), resource: { type: 'record', id: 'record-1' } }],
      [SEARCHES.resource, { ...resources(), subject: { type: 'user', id: 'nonexistent-user' } }],
      [SEARCHES.resource, { ...resources(), resource: { type: 'record' } }],
      [SEARCHES.action, { ...actions(), subject: { type: 'user', id: 'nonexistent-user' } }],
      [SEARCHES.action, { ...actions(), resource: { type: 'constructor', id: '1' } }],
    ] as const) {
      expect(await port.ok(path, body)).to.deep.equal({ page: { next_token: '', count: 0 }, results: [] });
    }
  });

  it('without a required member are 400 and name it', async () => {
    const lacking = (name: string) => `the request must have required properties ${name}`;
    for (const [message, path, body] of [
      [lacking('action'), SEARCHES.subject, { ...subjects(), action: undefined }],
      ['resource must have required properties id', SEARCHES.subject, { ...subjects(), resource: { type: 'user' } }],
      [lacking('subject'), SEARCHES.resource, { ...resources(), subject: undefined }],
      ['subject must have required properties id', SEARCHES.resource, { ...resources(), subject: { type: 'user' } }],
      [lacking('resource'), SEARCHES.action, { ...actions(), resource: undefined }],
    ] as const) {
      await port.refused(message, path, body);
    }
  });
});
