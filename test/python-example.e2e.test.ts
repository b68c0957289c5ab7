import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { useDemoService } from '../test-support/demo-database.ts';
import { listenOnFreePort } from '../test-support/example-pages.ts';
import { execute } from '../test-support/processes.ts';
import { skip } from '../test-support/skip.ts';

/** Makes functions that run the example client in Python against a service, with the password of its accounts. */
const makeExampleClient = (serviceUrl: () => string, password: string) => {
  const env = { ...process.env, CHAPTER_PASSWORD: password, PYTHONDONTWRITEBYTECODE: '1' };

  /** Calls an operation. Resolves with the parsed output, and rejects if the client reports an error. */
  const call = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const program = ['examples/python/chapter.py', '--service', serviceUrl()];
    const { stdout } = await execute('python3', [...program, ...args], { env });
    return JSON.parse(stdout);
  };

  return {
    call,

    /** Calls an operation, and resolves with the exit code and the message of its error; null if there is none. */
    failure: (...args: readonly string[]): Promise<unknown> =>
      call(...args).then(
        () => null,
        ({ code, stderr }: { code: number; stderr: string }) => [code, stderr.trim()],
      ),

    /** Runs a Python program that imports the client, with the URL of the service as its argument. */
    run: async (program: readonly string[]): Promise<unknown> => {
      const options = { env, cwd: 'examples/python' };
      const { stdout } = await execute('python3', ['-c', program.join('\n'), serviceUrl()], options);
      return JSON.parse(stdout);
    },
  };
};

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('The example client in Python', () => {
  before(function () {
    if (!hasPython) skip(this, 'there is no python3');
  });
  const service = useDemoService();
  const pages = createServer(({ url }, response) =>
    url === '/api/openapi/' ? response.end('<!doctype html>') : response.writeHead(404).end(),
  );
  let pageUrl: string;

  before(async () => {
    pageUrl = await listenOnFreePort(pages);
  });
  after(() => void pages.close());
  const { call, failure, run } = makeExampleClient(() => service.url, 'chapter-demo');

  it('calls operations by their names in the OpenAPI document', async () => {
    const as = ['--username', 'leader'];
    const fields = ['username=grace', 'password=compiles at night', 'groups=["Guest"]'];
    const created = await call(...as, 'createUser', ...fields);
    expect(created).to.include({ username: 'grace' });
    expect(await call(...as, 'updateUser', `id=${String(created['id'])}`, 'first_name=Grace')).to.include({
      first_name: 'Grace',
    });
    expect(await call(...as, 'deleteUser', `id=${String(created['id'])}`)).to.equal(null);
  });

  it('reads all pages of a list', async () => {
    const program = [
      'import json, os, sys',
      'import chapter',
      'client = chapter.Client(sys.argv[1])',
      "client.log_in('leader', os.environ['CHAPTER_PASSWORD'])",
      "users = client.pages('listUsers', page_size=1, ordering='username', username__in='guest,leader,user')",
      "print(json.dumps([user['username'] for user in users]))",
    ];
    expect(await run(program)).to.deep.equal(['guest', 'leader', 'user']);
  });

  it('prints what the user may call, and chooses by what they may do with a target', async () => {
    const ofGuest = await call('--username', 'guest');
    expect(ofGuest).to.include.members(['listUsers', 'updateUser']).and.not.include('createUser');
    const program = [
      'import json, os, sys',
      'import chapter',
      'client = chapter.Client(sys.argv[1])',
      "client.log_in('guest', os.environ['CHAPTER_PASSWORD'])",
      "users = client.pages('listUsers', username__in='guest,leader')",
      "own = [user['username'] for user in users if 'updateUser' in client.allowed(user=user['id'])]",
      "print(json.dumps([own, client.allowed(division=client.call('getOwnUser')['division']['id'])]))",
    ];
    expect(await run(program)).to.deep.equal([
      ['guest'],
      ['listUsers', 'getDivision', 'listDivisionUsers', 'getDivisionStatistics'],
    ]);
    expect(await failure()).to.deep.equal([1, 'send an access token as `Authorization: Bearer …`']);
  });

  it('sends parameters of the query as written, and parameters of the header', async () => {
    const as = ['--username', 'leader'];
    expect(await call(...as, 'listUsers', 'count=true', 'username=007')).to.deep.include({ count: 0 });
    const { id } = await call(...as, 'getInfo');
    expect(await failure(...as, 'updateUser', `id=${String(id)}`, 'If-Match="old"', 'first_name=Lou')).to.deep.equal([
      1,
      'the resource has changed since you read it; read it again',
    ]);
  });

  it('says what the service refuses, with every fault, and which operations there are', async () => {
    expect(await failure('--username', 'guest', 'createUser', 'username=ada')).to.deep.equal([
      1,
      'only a Leader of the division may do this',
    ]);
    expect(await failure('--username', 'leader', 'createUser', 'username=a/b')).to.deep.equal([
      1,
      [
        'the request contains invalid fields or parameters',
        'password: is required',
        'username: must contain only the characters A-Z a-z 0-9 . _ + @ -',
      ].join('\n'),
    ]);
    expect(await failure('listMembers')).to.satisfy(
      ([code, line]: [number, string]) => code === 1 && /^no operation is named listMembers; .* logIn/.test(line),
    );
    expect(await failure('getUser')).to.deep.equal([1, 'getUser needs id']);
    expect(await failure('--service', 'http://127.0.0.1:1', 'listKeys')).to.satisfy(
      ([code, line]: [number, string]) => code === 1 && line.startsWith('cannot reach http://127.0.0.1:1: '),
    );
    expect(await failure('--service', `${pageUrl}/missing`, 'listKeys')).to.deep.equal([
      1,
      `${pageUrl}/missing/api/openapi/ returned status 404`,
    ]);
    expect(await failure('--service', pageUrl, 'listKeys')).to.deep.equal([
      1,
      `${pageUrl}/api/openapi/ returned no JSON; is this the address of the service?`,
    ]);
  });
});
