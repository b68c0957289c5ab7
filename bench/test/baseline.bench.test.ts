import { expect } from 'chai';
import { clientOf, type ResponseJson } from '../../test-support/client.ts';
import { kinds, type LoadRequest } from '../kinds.ts';
import { BASELINE, JSON_BASELINE, SERVICE } from '../server.ts';
import { readSettings } from '../settings.ts';
import { openSetup, type RunningServer, type Setup } from '../setup.ts';

/** Returns the values of the cursor in a link, without the checksum, which the baseline omits. */
const valuesIn = (link: string | null): unknown => {
  const cursor = link && new URLSearchParams(link.split('?')[1]).get('cursor');
  return cursor && (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]).slice(1);
};

const comparable = (body: ResponseJson): unknown =>
  'next' in body ? { ...body, next: valuesIn(body.next), previous: valuesIn(body.previous) } : body;

describe('the baseline of the bench, compared with the service,', () => {
  const stack = new AsyncDisposableStack();
  const servers: RunningServer[] = [];
  let world: Setup['world'];

  before('start all', async () => {
    const setup = await openSetup(readSettings({ BENCH: 'short' }).population, stack);
    ({ world } = setup);
    servers.push(...(await Promise.all([SERVICE, BASELINE, JSON_BASELINE].map((program) => setup.start(program)))));
  });
  after('stop them', () => stack.disposeAsync());

  const send = ({ method, path, token, body }: LoadRequest) =>
    servers.map(({ url, name }) => clientOf(url, token)(method, path, body && JSON.parse(body.replace('{n}', name))));

  for (const { name, request } of kinds) {
    it(`returns the response of the service: ${name}`, async () => {
      for (const at of [0, 1, 2, 3, 5, 8, 10, 13, 14]) {
        const sent = request(world, at);
        // All make the same change, so that all responses show it.
        const same = sent.method === 'PATCH' ? { ...sent, body: `{"first_name":"Name ${at}"}` } : sent;
        const [service, ...baselines] = await Promise.all(send(same));
        expect(service?.status).to.equal(200);
        for (const { body, headers } of baselines) {
          expect(comparable(body)).to.deep.equal(comparable(service?.body));
          if (sent.method === 'GET') expect(headers.get('etag')).to.equal(service?.headers.get('etag'));
        }
      }
    });
  }
});
