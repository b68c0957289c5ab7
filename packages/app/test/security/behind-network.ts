import { expect } from 'chai';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { type Client, logIn } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { type ServiceProcess, serveInProcess } from '../../../../test-support/service-process.ts';
import { DEMO_PASSWORD } from '../../src/database/demo-data.ts';

/** A service that connects to its database over a network that a test can interrupt. */
export interface BehindNetwork {
  readonly network: BreakableNetwork;
  readonly service: ServiceProcess;
  readonly leader: Client;
  /** The URL of the database without that network. */
  readonly databaseUrl: string;
}

/** Starts the service for a `describe`, with additional settings. */
export const useServiceBehindNetwork = (
  settings: () => Promise<Readonly<Record<string, string>>> = async () => ({}),
): (() => BehindNetwork) => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  let started: BehindNetwork | undefined;
  before('start the service behind a breakable network', async () => {
    const network = await makeBreakableNetwork(database.url);
    const service = await serveInProcess({ DATABASE_URL: network.url, DATA_DIR: dataDir, ...(await settings()) });
    const leader = await logIn(service.url, 'leader', DEMO_PASSWORD);
    started = { network, service, leader, databaseUrl: database.url };
  });
  after(async () => {
    started?.network.mend();
    await started?.service.end();
    await started?.network.close();
  });
  return () => {
    if (!started) throw new Error('the service is available only while tests run');
    return started;
  };
};

/** Expects a 503 response with Retry-After that reveals nothing about the cause. */
export const expectUnavailable = ({ status, headers, body }: Awaited<ReturnType<Client>>): void => {
  expect([status, body.code]).to.deep.equal([503, 'unavailable']);
  expect(headers.get('retry-after')).to.match(/^[1-9]\d*$/);
  expect(JSON.stringify(body)).to.not.match(/ECONN|127\.0\.0\.1|postgres|sql|select|chapter_test/i);
};
