import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { makeServedPage } from '../../src/server/served-page.ts';
import { makeServedChapter, useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

describe('The documentation', () => {
  const chapter = useServedChapter();

  it('includes the OpenAPI document, which is cacheable', async () => {
    const { status, headers, body } = await chapter.get('/api/openapi/');
    expect(status).to.equal(200);
    expect(headers['cache-control']).to.equal('public, max-age=300');
    expect(body).to.include({ openapi: '3.1.0' });
    const again = await chapter.get('/api/openapi/', undefined, { 'if-none-match': headers['etag'] ?? '' });
    expect(again).to.include({ status: 304, text: '' });
    expect(again.headers['etag']).to.equal(headers['etag']);
  });

  it('includes the document of docs/openapi.json; if they differ, run `npm run docs:openapi`', async () => {
    const { body } = await chapter.get('/api/openapi/');
    expect(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))).to.deep.equal(body);
  });

  it('has a page with a viewport whose assets exist on the same host', async () => {
    const { status, headers, text } = await chapter.get('/api/docs/');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(text).to.include('<meta name="viewport" content="width=device-width, initial-scale=1">');
    const addresses = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses.map((address) => address.split('/').at(-1))).to.deep.equal([
      'favicon-32x32.png',
      'swagger-ui.css',
      'docs.css',
      'docs.js',
      'swagger-ui-bundle.js',
      'swagger-ui-standalone-preset.js',
    ]);
    for (const address of addresses) {
      expect(address).to.match(/^\/api\/docs\/assets\/[0-9a-f]{16}\//);
      const asset = await chapter.get(address);
      expect(asset.status, address).to.equal(200);
      expect(asset.headers['cache-control']).to.include('immutable');
    }
    expect(text).to.include('"url":"/api/openapi/"');
    for (const option of ['tryItOutEnabled', 'deepLinking', 'filter', 'displayRequestDuration']) {
      expect(text).to.include(`"${option}":true`);
    }
  });

  it('compresses pages and assets for clients that accept it, with a separate tag for each content coding', async () => {
    const page = (await chapter.get('/api/docs/')).text;
    const bundle = / src="([^"]+bundle[^"]+)"/.exec(page)?.[1] ?? '';
    for (const path of ['/api/docs/', '/api/openapi/', bundle]) {
      const load = (accepted: string, more = {}) =>
        chapter.get(path, undefined, { 'accept-encoding': accepted, ...more });
      const plain = await chapter.get(path);
      const { headers } = plain;
      expect(headers, path).to.not.have.property('content-encoding');
      const tags = [headers['etag'] ?? ''];
      for (const [accepted, coding, decode] of [
        ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
        ['gzip, br;q=0', 'gzip', gunzipSync],
      ] as const) {
        const encoded = await load(accepted);
        expect(encoded.headers['content-encoding'], path).to.equal(coding);
        expect(Number(encoded.headers['content-length']) * 3, path).to.be.below(Number(headers['content-length']) * 2);
        expect(decode(encoded.bytes).equals(plain.bytes), path).to.equal(true);
        const etag = encoded.headers['etag'] ?? '';
        tags.push(etag);
        expect(await load(accepted, { 'if-none-match': etag }), path).to.include({ status: 304, text: '' });
      }
      expect(new Set(tags), path).to.have.length(3);
      expect((await load('identity')).headers).to.not.have.property('content-encoding');
      for (const vary of [headers['vary'], (await load('br')).headers['vary']]) {
        expect(vary?.split(', '), path).to.include.members(['Accept-Encoding', 'Origin']);
      }
    }
  });

  it('loads a page again after a failure', async () => {
    let attempts = 0;
    const load = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('too many open files');
      return { bytes: Buffer.from('text') };
    };
    const page = { path: '/api/docs/', type: 'text/plain', cache: 'no-store', isAsset: true, load } as const;
    const copy = async (bytes: Buffer) => Buffer.concat([bytes]);
    const { prepare } = makeServedPage(page, { br: copy, gzip: copy, identity: copy });
    expect(String(await prepare().catch((error: unknown) => error))).to.include('too many open files');
    await prepare();
    expect(attempts).to.equal(2);
  });

  it('loads and encodes a page once for all clients, ahead of the first request if asked to', async () => {
    for (const isPrepared of [false, true]) {
      const work: string[] = [];
      const encode = (coding: string) => async (bytes: Buffer) => {
        work.push(coding);
        return Buffer.concat([bytes]);
      };
      const { prepare, serve } = makeServedPage(
        {
          path: '/api/docs/',
          type: 'text/plain',
          cache: 'no-store',
          isAsset: true,
          load: async () => {
            work.push('load');
            return { bytes: Buffer.from('text') };
          },
        },
        { br: encode('br'), gzip: encode('gzip'), identity: encode('identity') },
      );
      if (isPrepared) await prepare();
      expect(work).to.deep.equal(isPrepared ? ['load', 'br', 'gzip', 'identity'] : []);
      const bodies = new Set<unknown>();
      for (const encoding of ['br', 'br', 'gzip', 'gzip', 'identity']) {
        const ctx = {
          state: {},
          querystring: '',
          req: { headers: {} },
          set: () => {},
          vary: () => {},
          body: undefined,
        };
        await serve(
          Object.assign(ctx, { acceptsEncodings: (coding: string) => coding === encoding && coding }) as never,
        );
        bodies.add(ctx.body);
      }
      expect([work, bodies.size]).to.deep.equal([['load', 'br', 'gzip', 'identity'], 3]);
    }
  });

  it('allows only the scripts and styles of the page', async () => {
    const { headers, text } = await chapter.get('/api/docs/');
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).to.match(/^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self';/);
    expect(policy).to.not.include('unsafe');
    const script = /<script>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '';
    expect(policy).to.include(hash('sha256', script, 'base64'));
    expect(text).to.not.match(/<style| style="| on\w+="/);
  });

  it('stores the access token in the browser only if that is configured', async () => {
    expect((await chapter.get('/api/docs/')).text).to.include('"persistAuthorization":false');
    const docs = { publicUrl: () => 'http://localhost:3000', demo: async () => null, persistsLogin: true };
    await using keeping = await makeServedChapter({ docs });
    expect((await keeping.get('/api/docs/')).text).to.include('"persistAuthorization":true');
    expect((await keeping.get('/api/openapi/')).body.servers).to.deep.equal([{ url: 'http://localhost:3000' }]);
  });

  it('rejects parameters by name', async () => {
    const { text } = await chapter.get('/api/docs/');
    const asset = / src="([^"]+)"/.exec(text)?.[1] ?? '';
    for (const path of ['/api/docs/', '/api/openapi/', asset]) {
      const refused = await chapter.get(`${path}?x=1&y`);
      expect(refused.status, path).to.equal(422);
      expect(refused.headers).to.include({ 'cache-control': 'no-store', 'content-type': 'application/problem+json' });
      expect(faultsOf(refused)).to.deep.equal(['x unknown_parameter', 'y unknown_parameter']);
      expect((await chapter.send('HEAD', `${path}?x=1`)).status, path).to.equal(422);
    }
  });

  it('does not exist at other paths', async () => {
    expect(await chapter.get('/api/docs/assets/../../users/')).to.include({ status: 404 });
    expect(await chapter.get('/x/api/docs/')).to.include({ status: 404 });
  });

  it('returns 404 if it is disabled', async () => {
    await using bare = await makeServedChapter({ docs: false });
    for (const path of ['/api/docs/', '/api/openapi/']) {
      const { status, body } = await bare.get(path);
      expect(status).to.equal(404);
      expect(body).to.include({ code: 'not_found' });
    }
  });
});
