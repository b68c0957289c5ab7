import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { call } from '../packages/app/test/cli/call.ts';
import { codeBlocks } from '../test-support/code-blocks.ts';
import { useDemoService } from '../test-support/demo-database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { execute } from '../test-support/processes.ts';

/** The shell code below each heading of docs/jobs.md. */
const jobs = new Map(
  readFileSync('docs/jobs.md', 'utf8')
    .split(/^##+ /m)
    .map((section): [string, string] => [section.slice(0, section.indexOf('\n')), codeBlocks(section, 'sh').join('')])
    .filter(([, code]) => code !== ''),
);

/** What each job prints. Later jobs use what earlier ones created. */
const outputs: Readonly<Record<string, RegExp>> = {
  '# Everyday jobs': /^$/,
  Leaders: /^$/,
  'Add a member': /^http:\/\/localhost:\d+\/password\/#username=linus&token=\S{67}$/,
  'Help with a forgotten password': /^$/,
  'Download a list for a spreadsheet': /^$/,
  'Suspend a member': /"is_active":false.*"is_active":true/s,
  'See what changed': /"action":"updateUser".*"changes":\{"is_active":\{"old":false,"new":true\}\}/s,
  'Set a password by a link': /^$/,
  'Change your record': /"email":"linus@example.org".*"birthdate":"1969-12-28"/,
  'See what you may do': /"deleteUser","outcome":"forbidden","reason":"only a Leader of the division may do this"/,
  'End the session of a lost phone': /"current":true.*"current":false|"current":false.*"current":true/s,
  'Let a script act for you': /"username":"linus"/,
  'Open a division': /^name +East$.*^url +http:\/\/localhost:3000\/password\/#username=grace&token=\S{67}$/ms,
  'Find members': /^linus +Linus +linus@example.org.*^last_active_on +\d{4}-\d\d-\d\d$/ms,
  'Count members': /^DIVISION +MEMBERS +ACTIVE .*^North +5 +5 +/ms,
  'Help a Leader who cannot log in': /^url +http\S+#username=leader&token=\S{67}$/m,
  'Move a member': /^division +East$.*moveUser.*division: North → East/ms,
  'Replace the last Leader': /^groups +Leader, User$/m,
  'Synchronize with a register': /0 would be created, 1 changed, 6 left unchanged.*0 created, 1 changed, 6 unchanged/s,
  'Give a person their data': /^$/,
  'Erase a person': /^Erased the user /,
  'Answer who may do what': /^leader .* a Leader of the division$.*^outcome +forbidden$/ms,
  'End sessions': /curl.*Ended 1 session\./s,
  'End the token of a script': /^token +chapter_pat_[0-9a-f]{72}$.*register.*^Ended the token \S{36} of leader\.$/ms,
  'Close a division': /^Deleted the user grace\.$.*^Deleted the division Orient\.$/ms,
  'Shorten the audit trail': /^Removed 0 entries/,
};

describe('docs/jobs.md', () => {
  const service = useDemoService();
  const folder = makeFolder();
  // Runs the command line in this process: it starts once instead of twenty times. The arguments are separated by NUL.
  const run = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const args = (await buffer(request)).toString().split('\0').slice(0, -1);
    const { status, out, err } = await call(args, { variables: service.variables() });
    response.writeHead(status === 0 ? 200 : 500).end(out + err);
  };
  const commands = createServer((request, response) => void run(request, response));

  before((done) => void commands.listen(0, '127.0.0.1', done));
  after(() => void commands.close());

  it('describes the jobs that this test knows', () => {
    expect([...jobs.keys()]).to.deep.equal(Object.keys(outputs));
  });

  it('shows commands that work, one after another', async () => {
    const runner = `http://127.0.0.1:${(commands.address() as AddressInfo).port}`;
    const chapter = `chapter() { printf '%s\\0' "$@" | curl -s --fail-with-body --data-binary @- ${runner}; }`;
    const code = [...jobs.values()]
      .join('\necho; echo ----\n')
      .replace('http://localhost:3000', service.url)
      // The command line runs in the folder of the repository.
      .replaceAll('register.csv', `'${join(folder, 'register.csv')}'`)
      .replace(/^chapter\(\) .*$/m, chapter);
    const { stdout } = await execute('bash', ['-e', '-o', 'pipefail', '-c', code], { cwd: folder });
    const printed = stdout.split('\n----\n').map((text) => text.trim());
    for (const [at, [title, pattern]] of Object.entries(outputs).entries()) {
      expect(printed[at], title).to.match(pattern);
    }
    expect(readFileSync(join(folder, 'members-plain.csv'), 'utf8')).to.match(/^id,username,/);
    expect(readFileSync(join(folder, 'members.csv'), 'utf8')).to.match(/^\ufeffid,username,.* \d\d:\d\d:\d\d\r\n/s);
    expect(readFileSync(join(folder, 'north.csv'), 'utf8')).to.match(/^\ufeffusername,/);
    expect(JSON.parse(readFileSync(join(folder, 'linus.json'), 'utf8'))).to.nested.include({
      'user.username': 'linus',
    });
  });
});
