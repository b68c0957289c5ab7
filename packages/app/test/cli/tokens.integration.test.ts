import { expect } from 'chai';
import { query } from '../../../../test-support/query.ts';
import { ABSENT_ID, useOperator, withMembers } from './operator.ts';

describe('chapter tokens', () => {
  const { chapter, fault, json, url } = useOperator(withMembers);

  it('creates, lists and ends personal access tokens of a user, whose text is stored nowhere', async () => {
    const end = new Date(Date.now() + 86_400_000).toISOString();
    const { token, ...created } = await json<Record<'id' | 'created_at' | 'token', string>>(
      `tokens create --user ada --name nightly --expires-at ${end} --read-only`,
    );
    expect(token).to.match(/^chapter_pat_[0-9a-f]{72}$/);
    expect(created).to.deep.include({ name: 'nightly', read_only: true, expires_at: end, last_used_on: null });
    const { id } = created;
    expect(await json('tokens list --username ADA')).to.deep.equal([created]);
    const { out } = await chapter('tokens list --user ada');
    expect(out).to.match(/^ID +NAME +READ-ONLY +CREATED AT +EXPIRES AT +LAST USED ON\n/);
    const instants = [created.created_at, end].map((instant) => instant.slice(0, 19).replace('T', ' '));
    expect((await chapter('tokens list --user ada --format spreadsheet')).out).to.include(`true,${instants.join()},`);
    expect((await chapter(`tokens create --user ada --name n --expires-at ${end}`)).out).to.match(
      /^read_only +no$.*^token +chapter_pat_\w{72}$/ms,
    );
    const stored = JSON.stringify(await query(url(), 'select t::text, a::text from personal_token t, audit_entry a'));
    expect(stored).not.to.include(token).and.not.to.include(token.slice(12));
    const text = `Ended the token ${id} of ada.\n`;
    expect((await chapter(`tokens end --user ada --id ${id.toUpperCase()}`)).out).to.equal(text);
    expect(await json<object[]>('tokens list --user ada')).to.have.length(1);
  });

  it('says which option is wrong, and why', async () => {
    const create = 'tokens create --name n --expires-at';
    expect(await fault(`${create} 9999-12-31 --user ada`)).to.equal(
      '--expires-at must be in the future, at most 366 days from now.\n',
    );
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(await fault(`${create} ${tomorrow} --user gus`)).to.equal(
      'An inactive user cannot have personal access tokens.\n',
    );
    expect(await fault(`${create} ${tomorrow} --user unknown`)).to.include('no user');
    for (const id of [ABSENT_ID, 'x']) {
      expect(await fault(`tokens end --user ada --id ${id}`)).to.equal(
        `ada has no personal access token with the id ${id}.\n`,
      );
    }
  });
});
