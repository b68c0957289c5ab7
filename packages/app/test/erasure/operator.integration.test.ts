import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { query } from '../../../../test-support/query.ts';
import { call } from '../cli/call.ts';
import { findInColumns } from './traces.ts';
import { useOwner } from './use-service.ts';

const UNKNOWN = '0190a000-0000-7000-8000-00000000000f';

describe('The operator who erases users and prunes the audit trail', () => {
  const { chapter, databaseUrl, fault, json, variables } = useOwner();
  const admit = async (username: string): Promise<string> =>
    (await json(`users create --division North --username ${username} --link`)).id;
  const deleted = async (username: string): Promise<string> => {
    const id = await admit(username);
    await json(`users delete --user ${username} --yes`);
    return id;
  };

  it('sees the user before the question, and stops without a yes', async () => {
    const { date_joined: joined, id } = await json('users create --division North --username ada --link');
    const answering = async (answer: string): Promise<readonly unknown[]> => {
      const { err, status } = await chapter('users erase --user ada', '', async (question) => {
        expect(question).to.equal('Erase all data of this user? This cannot be undone. [y/N] ');
        return answer;
      });
      return [status, err];
    };
    const described = `id        ${id}\nusername  ada\ndivision  North\nstate     present, joined ${joined}\n`;
    expect(await answering('n')).to.deep.equal([1, `${described}Not confirmed; nothing was changed.\n`]);
    expect((await json('users show --user ada')).id).to.equal(id);
    expect(await answering('y')).to.deep.equal([0, described]);
    expect(await fault('users show --user ada')).to.include('no user');
  });

  it('sees when a deleted user was deleted, even if the user was erased', async () => {
    const id = await deleted('left');
    const [{ at }] = await json(`audit --user ${id}`);
    const erase = () => chapter(`users erase --user ${id} --yes`);
    const described = (name: string) => `id        ${id}\nusername  ${name}\nstate     deleted ${at}\n`;
    expect(await erase()).to.include({ status: 0, err: described('left') });
    expect(await erase()).to.include({ err: `${described('–')}Nothing is stored about a user with the id ${id}.\n` });
    const present = await admit('present');
    await json('users erase --user present --yes');
    const [erasure] = await json(`audit --user ${present}`);
    const { err } = await chapter(`users erase --user ${present} --yes`);
    expect(err).to.include(`state     deleted ${erasure.at}\n`);
  });

  it('must be the owner of the tables', async () => {
    await admit('kept');
    for (const args of [
      ['users', 'erase', '--user', 'kept', '--yes'],
      ['audit', 'prune', '--before', '2020-01-01'],
    ]) {
      const { err, status } = await call(args, { variables: { ...variables(), OWNER_DATABASE_URL: '' } });
      expect([status, err.split('\n').at(-2)]).to.deep.equal([
        1,
        'Only the owner of the tables may do this; set OWNER_DATABASE_URL.',
      ]);
    }
    expect((await json('users export-data --user kept')).user.username).to.equal('kept');
  });

  it('erases the last Leader of a division with members only with --force', async () => {
    await json('divisions create --name South');
    await json('users create --division South --username south --group Leader --link');
    await json('users create --division South --username follower --link');
    expect(await fault('users erase --user south --yes')).to.include('--force');
    expect(await json('users erase --user south --yes --force')).to.include({ audit_entries: 1 });
  });

  it('names a deleted user by a former name', async () => {
    const id = await deleted('gone');
    expect((await json('users export-data --user GONE')).user).to.equal(null);
    const { out } = await chapter('users erase --user gone --yes');
    expect(out).to.equal(
      `Erased the user ${id}: 0 sessions, the values of 2 audit entries, 0 stored responses, 0 counters.\n` +
        'Backups and logs may still contain the user.\n',
    );
    expect((await chapter(`audit --user ${id}`)).out).to.match(/username: erased;/);
    expect(await fault('users erase --user gone --yes')).to.equal('There is no user with the name or id gone.\n');
  });

  it('learns that nothing is stored about a user', async () => {
    const nothing = `Nothing is stored about a user with the id ${UNKNOWN}.\n`;
    const state = 'not stored, and the audit trail contains no deletion';
    expect(await fault(`users erase --user ${UNKNOWN} --yes`)).to.equal(
      `id        ${UNKNOWN}\nusername  –\nstate     ${state}\n${nothing}`,
    );
    expect(await fault(`users export-data --user ${UNKNOWN}`)).to.equal(nothing);
  });

  it('erases an imported user with the time of joining', async () => {
    const path = join(makeFolder(), 'users.csv');
    const [division] = await json('divisions list');
    await writeFile(
      path,
      `username,last_name,division_id,date_joined\nimported,Imported-Name,${division.id},2011-03-07T11:13:17.019Z\n`,
    );
    await json(`import --users ${path}`);
    const values = ['imported', '2011-03-07 11:13:17.019'];
    expect(await findInColumns(databaseUrl(), values)).to.satisfy((found: ReadonlyMap<string, readonly string[]>) =>
      values.every((value) => found.get(value)?.length !== 0),
    );
    await json('users erase --user imported --yes');
    expect([...(await findInColumns(databaseUrl(), values)).values()].flat()).to.deep.equal([]);
  });

  it('prunes the entries before a time, which is recorded', async () => {
    const [{ count }] = (await query(databaseUrl(), 'select count(*)::int from audit_entry')) as [{ count: number }];
    expect(await json('audit prune --before 2026-01-01')).to.deep.equal({
      before: '2026-01-01T00:00:00.000Z',
      removed: 0,
    });
    const before = new Date().toISOString();
    const { out } = await chapter(`audit prune --before ${before}`);
    expect(out).to.equal(`Removed ${count + 1} entries before ${before}.\n`);
    expect((await chapter('audit')).out).to.match(/pruneAudit +the audit trail +entries: \d+ → 0; before: – → 2\d{3}-/);
  });

  it('cannot prune with the filters of the list', async () => {
    for (const filter of ['--division North', '--limit 5', '--user lead', '--username lead', '--since 2026-01-01']) {
      const { err, status } = await chapter(`audit ${filter} prune --before 2020-01-01`);
      expect([status, err]).to.deep.equal([2, `error: audit prune has no option ${filter.split(' ')[0]}\n`]);
    }
    const { err, status } = await chapter('audit prune');
    expect([status, err.split('\n')[0]]).to.deep.equal([2, "error: required option '--before <time>' not specified"]);
  });
});
