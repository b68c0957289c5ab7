import { createServer } from 'node:http';
import { expect } from 'chai';
import { listen } from '../../src/serve/lifecycle.ts';

describe('A server that cannot listen', () => {
  // 192.0.2.0/24 is nobody's (RFC 5737).
  const places: [string, string, RegExp][] = [
    ['192.0.2.7', 'PORT', /^cannot listen on 192\.0\.2\.7:0: this machine does not have the address; set HOST to/],
    ['chapter.invalid', 'OPS_PORT', /: there is no such host; set OPS_HOST to another$/],
  ];
  for (const [host, setting, sentence] of places) {
    it(`names the setting of the host where that is wrong, such as ${host}`, async () => {
      const refusal = await listen(createServer(), { host, port: 0 }, setting).catch((error: unknown) => error);
      expect(String(refusal).replace('OperatorError: ', '')).to.match(sentence);
    });
  }
});
