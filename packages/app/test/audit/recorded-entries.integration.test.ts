import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { logIn } from '../../../../test-support/client.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { query } from '../../../../test-support/query.ts';
import { succeed, useService } from '../erasure/use-service.ts';

const RECORD = new URL('recorded-entries.txt', import.meta.url);

const SOUTH = '0190a000-0000-7000-8000-0000000000b0';
const idOf = (digit: number): string => `0190a000-0000-7000-8000-00000000000${digit}`;

// The files of two imports. The second one creates, changes, moves and keeps users, who exchange emails.
const DIVISIONS = `id,name,logo\n${SOUTH},South,https://example.org/s.png\n,"E ""a"" st",\n`;
const USERS = `id,username,division_id,email,first_name,birthdate,groups,is_staff,password,date_joined
${idOf(1)},ada,${SOUTH},ada@example.org,"Zoë ""\\ /",1990-12-10,Leader;User,true,a long enough secret,2019-12-31
${idOf(2)},bob,${SOUTH},bob@example.org,,,,,,2019-12-31\n${idOf(3)},cal,${SOUTH},,Cal,,Guest,,,2019-12-31\n,dan,${SOUTH},,,,User,,,\n`;
const CHANGED_DIVISIONS = `name,logo\nsouth,\nWest,https://example.org/w.png\n`;
const changedUsers = (north: string): string => `username,division_id,email,is_active,date_joined,password
cal,${SOUTH},,true,2020-01-31,\nADA,${north},bob@example.org,true,2020-01-31T12:00:00.5Z,a brand new secret
bob,${SOUTH},ada@example.org,false,2020-01-31,\neve,${SOUTH},eve@example.org,,,another long secret\n`;

const [SECRET, NEW_SECRET] = ['a long enough secret', 'another long secret'];

describe('The audit entries of a recorded set of operations', () => {
  const { chapter, databaseUrl, given } = useService();
  const folder = makeFolder();

  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const run = async (...args: readonly string[]): Promise<void> => {
    const { err, status } = await chapter(args);
    expect(status, err).to.equal(0);
  };
  const importFiles = async (divisions: string, users: string, ...options: readonly string[]) =>
    run('import', '--divisions', await file('d.csv', divisions), '--users', await file('u.csv', users), ...options);

  const callApi = async (north: string): Promise<void> => {
    const { lead, url } = given();
    const gus = { username: 'gus', password: SECRET, email: 'gus@example.org', birthdate: '2000-02-29' };
    const path = `/api/users/${(await succeed(lead('POST', '/api/users/', gus), 201)).id}`;
    await succeed(
      lead('PATCH', path, { username: 'gustav', groups: ['Guest', 'User'], email: null, first_name: 'G"' }),
    );
    await succeed(lead('PATCH', path, { first_name: 'G"' }));
    const { token } = await succeed(lead('POST', `${path}/password-links/`), 201);
    await succeed(lead('POST', '/api/auth/passwords/', { token, password: NEW_SECRET }), 204);
    const member = await logIn(url, 'gustav', NEW_SECRET);
    await succeed(member('PATCH', path, { password: SECRET, current_password: NEW_SECRET }));
    await succeed(lead('PATCH', path, { is_active: false }));
    await succeed(lead('DELETE', path), 204);
    await succeed(lead('PATCH', `/api/divisions/${north}`, { name: 'Far North', fanpage: 'https://example.org/n' }));
  };
  const callCommands = async (): Promise<void> => {
    for (const args of [
      'divisions create --name Remote',
      'users create --division Remote --username fay --email fay@example.org --group Leader --staff --link',
      'users set --user fay --superuser true --staff false --email fay@example.com --group User --force',
      'users move --user fay --division South --group Guest',
      'users link --user fay',
      'divisions rename --division Remote --name Islands',
      'divisions delete --division Islands',
      'sessions end --username lead',
      'users delete --user fay --yes',
      'users erase --user dan --yes',
      `export --users ${join(folder, 'export.csv')} --force`,
    ]) {
      await run(...args.split(' '));
    }
  };

  it('are those of the record, byte for byte', async () => {
    const [division] = await query(databaseUrl(), 'select id from division');
    const north = String(division?.['id']);
    await importFiles(DIVISIONS, USERS);
    await importFiles(CHANGED_DIVISIONS, changedUsers(north), '--update', '--force');
    await callApi(north);
    await callCommands();
    const entries = await query(
      databaseUrl(),
      `select concat_ws(' ', action, coalesce(author_id::text, '-'), author_name, request_id is not null, target_type,
         target_id, division_id, changes::text) as entry from audit_entry order by id`,
    );
    const generated = new Map<string, string>();
    const text = entries
      .map(({ entry }) =>
        String(entry).replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
          if (/^0{8}|^0190a000/.test(id)) return id;
          if (!generated.has(id)) generated.set(id, `<id ${generated.size + 1}>`);
          return generated.get(id) ?? '';
        }),
      )
      .join('\n');
    expect(`${text}\n`).to.equal(await readFile(RECORD, 'utf8'));
    expect((await chapter(['audit'])).out).to.not.include('secret');
  });
});
