import { expect } from 'chai';
import { makeServedChapter } from '../support/chapter.ts';

describe('The page of a password link', () => {
  it('has a policy that allows only its own script and style, which relative addresses name, also without the documentation', async () => {
    await using chapter = await makeServedChapter({ docs: false, passwordMinLength: 15 });
    const page = await chapter.get('/password/?utm_source=mail');
    expect(page.status).to.equal(200);
    expect(page.headers).to.include({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
    expect(page.text)
      .to.include('At least 15 characters.')
      .and.not.match(/<style|<script>| style="| on\w+=|[{}]/);
    const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(addresses).to.deep.equal(['data:,', 'style', 'script']);
    for (const [name, type] of [
      ['style', 'text/css'],
      ['script', 'text/javascript'],
    ]) {
      const { headers, status } = await chapter.get(`/password/${name}`);
      expect(status).to.equal(200);
      expect(headers).to.include({ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' });
      const again = await chapter.get(`/password/${name}`, undefined, { 'if-none-match': headers['etag'] ?? '' });
      expect(again).to.include({ status: 304, text: '' });
    }
  });
});
