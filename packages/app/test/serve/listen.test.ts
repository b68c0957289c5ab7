import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { listen } from '../../src/serve/lifecycle.ts';
import { startOps } from '../../src/serve/service.ts';

describe('A server that cannot listen', () => {
  // No machine has an address in 192.0.2.0/24 (RFC 5737).
  const places: [string, 'PORT' | 'OPS_PORT', RegExp][] = [
    [
      '192.0.2.7',
      'PORT',
      /^Cannot listen on 192\.0\.2\.7:0: this machine does not have the address; set HOST to another address\.$/,
    ],
    ['chapter.invalid', 'OPS_PORT', /: the host name cannot be resolved; set OPS_HOST to another address\.$/],
  ];
  for (const [host, setting, sentence] of places) {
    it(`names the setting of the host if the host is wrong, such as ${host}`, async () => {
      const refusal = await listen(createServer(), { host, port: 0 }, setting).catch((error: unknown) => error);
      expect(String(refusal).replace('OperatorError: ', '')).to.match(sentence);
    });
  }

  it('names the setting of a port in use, and suggests "off" for the internal port', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const at = { host: '127.0.0.1', port: (busy.address() as AddressInfo).port };
    const api = listen(createServer(), at, 'PORT').catch(String);
    const ops = startOps(at, { access: {} } as never).catch(String);
    const problem = `OperatorError: Cannot listen on 127.0.0.1:${at.port}: the port is in use;`;
    expect(await api).to.equal(`${problem} set PORT to another port.`);
    expect(await ops).to.equal(`${problem} set OPS_PORT to another port or to "off".`);
    busy.close();
  });
});
