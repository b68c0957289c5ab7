import { expect } from 'chai';
import { pino } from 'pino';
import { type Client, logIn, type ResponseJson } from '../../../../test-support/client.ts';
import { asRole, useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import type { Ask } from '../../src/cli/steps/context.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/serve/service.ts';
import { type Called, call } from '../cli/call.ts';

/** What `users erase` prints before it erases. */
const DESCRIBED_USER = /^id +[-0-9a-f]+\nusername +\S+\n(?:division +.+\n)?state +.+\n$/;

/** Returns the body of a response. @throws if it has another status. */
export const succeed = async (response: ReturnType<Client>, status = 200): Promise<ResponseJson> => {
  const answered = await response;
  expect(answered.status, JSON.stringify(answered.body)).to.equal(status);
  return answered.body;
};

const PASSWORD = 'a long enough secret';

/**
 * For a `describe`: a database with separate serving and owner roles, and a division North with the Leader `lead`. `chapter`
 * calls the command line; in a text, spaces separate the arguments. `json` expects success and returns the printed value, and
 * `fault` expects status 1.
 */
export const useOwner = () => {
  const database = useTestDatabase();
  const DATA_DIR = makeFolder();
  let variables: Record<string, string> = {};
  const chapter = (
    args: string | readonly string[],
    more: Record<string, string> = {},
    ask: Ask | null = null,
  ): Promise<Called> =>
    call(typeof args === 'string' ? args.split(' ') : args, {
      variables: { ...variables, ...more },
      input: PASSWORD,
      ask,
    });
  const json = async (args: string): Promise<ResponseJson> => {
    const { err, out, status } = await chapter(`${args} --json`);
    expect(status, err).to.equal(0);
    expect(err).to.match(args.includes('erase') ? DESCRIBED_USER : /^$/);
    return JSON.parse(out);
  };
  const fault = async (args: string): Promise<string> => {
    const { err, out, status } = await chapter(args);
    expect([status, out]).to.deep.equal([1, '']);
    return err;
  };

  before('store the Leader', async () => {
    const DATABASE_URL = await asRole(database.url, 'erasing');
    variables = { DATABASE_URL, OWNER_DATABASE_URL: database.url, DATA_DIR, PUBLIC_URL: 'http://localhost' };
    for (const args of [
      'migrate',
      'divisions create --name North',
      'users create --division North --username lead --group Leader --password-stdin',
    ]) {
      expect(await chapter(args)).to.include({ status: 0 });
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
