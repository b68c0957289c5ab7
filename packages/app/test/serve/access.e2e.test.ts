import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { ResponseJson } from '../../../../test-support/client.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { execute } from '../../../../test-support/processes.ts';
import { useServiceBehindNetwork } from '../security/behind-network.ts';

/** The shell code of a section of docs/operations.md. */
const exampleIn = (heading: string): string => {
  const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split(`\n## ${heading}\n`);
  return /```sh\n([^]*?)```/.exec(section)?.[1] ?? expect.fail(`${heading} has no example`);
};

for (const workers of [1, 2]) {
  describe(`Questions about rights to ${workers === 1 ? 'one process' : 'several workers'}`, () => {
    let ops: string;
    const chapter = useServiceBehindNetwork({}, async () => {
      const port = await freePort();
      ops = `http://127.0.0.1:${port}`;
      return { OPS_PORT: String(port), WORKERS: String(workers) };
    });

    const ask = async (path: string, question: object): Promise<{ status: number; body: ResponseJson }> => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${ops}/access/v1/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(question),
      });
      return { status: response.status, body: await response.json() };
    };
    const user = (id: string) => ({ type: 'user', id });
    const idOf = async (username: string): Promise<string> => {
      const { body } = await chapter().leader('GET', `/api/users/?username=${username}`);
      return body.results[0].id;
    };

    it('are decided by the rights that a user has at that moment', async () => {
      const { leader } = chapter();
      const [leaderId, userId] = [await idOf('leader'), await idOf('user')];
      const question = { subject: user(userId), action: { name: 'updateUser' }, resource: user(leaderId) };
      const decision = async () => (await ask('evaluation', question)).body.decision;
      const isFound = async (path: string, id: string) =>
        (await ask(path, question)).body.results.some((one: ResponseJson) => one.id === id);
      for (const groups of [['Leader'], ['User'], ['Guest', 'Leader'], []]) {
        expect((await leader('PATCH', `/api/users/${userId}`, { groups })).status).to.equal(200);
        const isLeader = groups.includes('Leader');
        expect(await decision()).to.equal(isLeader);
        expect(await isFound('search/subject', userId)).to.equal(isLeader);
        expect(await isFound('search/resource', leaderId)).to.equal(isLeader);
        const { results } = (await ask('search/action', question)).body;
        expect(results.some(({ name }: ResponseJson) => name === 'updateUser')).to.equal(isLeader);
      }
      expect((await leader('DELETE', `/api/users/${userId}`)).status).to.equal(204);
      expect((await ask('evaluation', question)).body.context.reason).to.equal('the subject does not exist');
    });

    it('can be asked as the documentation shows', async () => {
      const ids = `sub=${await idOf('guest')}\nid=${await idOf('leader')}\n`;
      const code = ids + exampleIn('Rights for other services').replace('http://localhost:9464', ops);
      const { stdout } = await execute('sh', ['-c', code]);
      expect(stdout).to.match(
        /^\{"decision":false,.*"reason":"only .*"results":\[\{"type":"user","id":"[-0-9a-f]{36}"\}/,
      );
    });

    it('are 503 within 5 s while the database is silent or gone, and are decided again afterwards', async () => {
      const { network } = chapter();
      const question = {
        subject: user(await idOf('leader')),
        action: { name: 'getInfo' },
        resource: { type: 'service', id: 'chapter' },
      };
      const timed = async () => {
        const start = performance.now();
        const { status } = await ask('evaluation', question);
        expect(performance.now() - start).to.be.below(8000);
        return status;
      };
      for (const breaks of [() => network.hang(), () => network.cut()]) {
        breaks();
        expect(await timed()).to.equal(503);
        expect((await fetch(`${ops}/livez`)).status).to.equal(200);
        network.mend();
        while ((await timed()) !== 200);
      }
    });
  });
}
