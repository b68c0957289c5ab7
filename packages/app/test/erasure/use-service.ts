import { expect } from 'chai';
import { pino } from 'pino';
import { type Client, logIn, type ResponseJson } from '../../../../test-support/client.ts';
import { asRole, useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/serve/service.ts';
import { makeChapter } from '../cli/call.ts';

/** Returns the body of a response. @throws if it has another status. */
export const succeed = async (response: ReturnType<Client>, status = 200): Promise<ResponseJson> => {
  const answered = await response;
  expect(answered.status, JSON.stringify(answered.body)).to.equal(status);
  return answered.body;
};

const PASSWORD = 'a long enough secret';

/**
 * For a `describe`: a database with separate serving and owner roles, and a division North with the Leader `lead`. Returns
 * functions that call the command line.
 */
export const useOwner = () => {
  const database = useTestDatabase();
  const DATA_DIR = makeFolder();
  let variables: Record<string, string> = {};
  const { chapter, fault, json } = makeChapter(() => variables);

  before('store the Leader', async () => {
    const DATABASE_URL = await asRole(database.url, 'erasing');
    variables = { DATABASE_URL, OWNER_DATABASE_URL: database.url, DATA_DIR };
    for (const args of [
      'migrate',
      'divisions create --name North',
      'users create --division North --username lead --group Leader --password-stdin',
    ]) {
      expect(await chapter(args, PASSWORD)).to.include({ status: 0 });
    }
  });
  return { chapter, json, fault, databaseUrl: () => database.url, variables: () => variables };
};

/** For a `describe`: the same with a service, and the client of the Leader. */
export const useService = () => {
  const owner = useOwner();
  let started: { readonly url: string; readonly lead: Client } | undefined;
  let stop: (() => Promise<void>) | undefined;
  before('start a service', async () => {
    const service = await startService(readConfig({ ...testSettings, ...owner.variables() }), pino({ enabled: false }));
    stop = service.stop;
    const url = `http://${service.api.host}:${service.api.port}`;
    started = { url, lead: await logIn(url, 'lead', PASSWORD) };
  });
  after('stop the service', () => stop?.());
  const given = () => {
    if (!started) throw new Error('the service runs only while tests run');
    return started;
  };
  return { ...owner, given };
};
