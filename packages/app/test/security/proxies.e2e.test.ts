import { expect } from 'chai';
import { clientOf } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { makeDataDir, type ServiceProcess, serveInProcess } from '../../../../test-support/service-process.ts';

const TRIES = 10;

/** Whether changing addresses in `X-Forwarded-For` evade the login limit, by the number of trusted proxies. */
const CASES = [
  { proxies: 0, changing: (n: number) => `10.0.${n}.1`, escapes: false },
  { proxies: 0, changing: (n: number) => `10.1.${n}.1, 10.0.${n}.1`, escapes: false },
  { proxies: 1, changing: (n: number) => `192.0.2.1, 10.2.${n}.1`, escapes: true },
  {
    proxies: 1,
    changing: (n: number) => `10.3.${n}.1, 192.0.2.2`,
    escapes: false,
  },
  {
    proxies: 2,
    changing: (n: number) => `192.0.2.1, 10.4.${n}.1, 198.51.100.1`,
    escapes: true,
  },
  {
    proxies: 2,
    changing: (n: number) => `10.5.${n}.1, 192.0.2.3, 198.51.100.1`,
    escapes: false,
  },
  { proxies: 2, changing: (n: number) => `192.0.2.4, 10.6.${n}.1`, escapes: false },
] as const;

describe('X-Forwarded-For', () => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeDataDir();
  const services: ServiceProcess[] = [];

  before('start a service for each number of proxies', async () => {
    for (const proxies of [0, 1, 2]) {
      const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir.path, TRUSTED_PROXIES: String(proxies) };
      services.push(await serveInProcess(settings));
    }
  });
  after(async () => {
    await Promise.all(services.map(({ end }) => end()));
    dataDir.remove();
  });

  for (const [at, { proxies, changing, escapes }] of CASES.entries()) {
    it(`${escapes ? 'identifies' : 'does not identify'} a new network by ${changing(1)} with ${proxies} trusted proxies`, async () => {
      const guess = async (n: number): Promise<number> => {
        const body = { username: `victim-${at}`, password: 'wrong' };
        const headers = { 'X-Forwarded-For': changing(n) };
        return (await clientOf(services[proxies]?.url ?? '')('POST', '/api/auth/login/', body, headers)).status;
      };
      for (let n = 0; n < TRIES; n++) expect(await guess(n)).to.equal(401);
      expect(await guess(TRIES)).to.equal(escapes ? 401 : 429);
    });
  }
});
