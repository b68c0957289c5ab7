import { expect } from 'chai';
import { query } from '../../../../test-support/query.ts';
import { useOperator, withMembers } from './operator.ts';

describe('chapter sessions', () => {
  const { chapter, fault, json, url } = useOperator(withMembers);

  it('lists and ends the sessions of a user', async () => {
    const [ada] = await query(url(), "select id from user_account where username = 'ada'");
    const id = String(ada?.['id']);
    const sessions = ['0190a000-0000-7000-8000-0000000000e1', '0190a000-0000-7000-8000-0000000000e2'];
    for (const session of sessions) {
      await query(
        url(),
        `insert into session (id, user_id, started_at, expires_at, user_agent)
         values ('${session}', '${id}', '2026-01-31T09:30:00Z', now() + interval '1 day', 'Phone/1.0')`,
      );
    }
    const started = '2026-01-31T09:30:00.000Z';
    const [listed] = await json<object[]>('sessions list --username ADA');
    expect(listed).to.deep.equal({
      id: sessions[1],
      created_at: started,
      refreshed_at: started,
      user_agent: 'Phone/1.0',
    });
    expect((await chapter(`sessions list --user ${id}`)).out).to.match(/^ID +CREATED AT +REFRESHED AT +USER AGENT\n/);
    expect((await chapter(`sessions end --session ${sessions[0]?.toUpperCase()}`)).out).to.equal('Ended 1 session.\n');
    expect(await json('sessions end --username ada')).to.deep.equal({ user_id: id, ended: 1 });
    expect(await json('sessions list --user ada')).to.deep.equal([]);
    expect(await fault(`sessions end --session ${sessions[0]}`)).to.equal(
      `There is no active session with the id ${sessions[0]}.\n`,
    );
    expect(await fault('sessions end --user unknown')).to.include('no user');
  });
});
