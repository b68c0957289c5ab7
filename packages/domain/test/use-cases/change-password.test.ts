import { expect } from 'chai';
import { faultsOf, refusal, useChapter } from './setup.ts';

describe('updateUser, for a password', () => {
  const chapter = useChapter();

  it('accepts a new password from the user with the current one', async () => {
    await chapter.update('user', chapter.user, { password: 'a new secret', currentPassword: 'user-secret' });
    expect(await chapter.passwordOf(chapter.user)).to.equal('a new secret');
  });

  it('lets a Leader set a password without the current one, except an Administrator’s', async () => {
    await chapter.update('lead', chapter.user, { password: 'a new secret' });
    expect(await chapter.passwordOf(chapter.user)).to.equal('a new secret');
    const staff = await chapter.admit('staff', [], { isStaff: true });
    const refused = await refusal('field_forbidden', () => chapter.update('lead', staff, { password: 'a new secret' }));
    expect(faultsOf(refused)).to.deep.equal(['password field_forbidden']);
    expect(await chapter.update('lead', staff, { username: 'clerk', email: 'clerk@example.org' })).to.include({
      username: 'clerk',
      email: 'clerk@example.org',
    });
  });

  it('rejects a guessable password, by the names that the user will have, before hashing it', async () => {
    const { work } = chapter.world.hasher;
    const { count } = work;
    for (const fields of [
      { password: 'Password123' },
      { password: 'NEW-NAME-1', username: 'new-name-1' },
      { password: 'ada@example.org', email: 'Ada@example.org' },
      // Equal only after NFKC: the email is stored in NFC, which keeps ligatures and full-width letters.
      { password: 'five@example.org', email: 'ﬁve@example.org' },
      { password: 'ａｄａ＠example.org', email: 'ａｄａ@example.org' },
    ]) {
      const refused = await refusal('validation_failed', () => chapter.update('lead', chapter.user, fields));
      expect(faultsOf(refused)).to.deep.equal(['password too_common']);
    }
    expect(work.count).to.equal(count);
  });

  it('rejects a new password with a control character', async () => {
    for (const password of ['short\0\0\0', 'an uncommon\none', 'an uncommon one\u0085']) {
      const refused = await refusal('validation_failed', () => chapter.update('lead', chapter.user, { password }));
      expect(faultsOf(refused)).to.deep.equal(['password invalid_format']);
    }
  });

  it('hashes the NFKC form', async () => {
    await chapter.update('lead', chapter.user, { password: 'ﬁve ﬁsh' });
    expect(await chapter.passwordOf(chapter.user)).to.equal('five fish');
    expect(await chapter.logIn('user', 'ﬁve ﬁsh')).to.have.property('accessToken');
  });

  it('says what is wrong with a guessable password and with a wrong current one', async () => {
    const detailsOf = async (who: 'lead' | 'user', fields: Record<string, unknown>) =>
      (await refusal('validation_failed', () => chapter.update(who, chapter.user, fields))).faults.map(
        ({ detail }) => detail,
      );
    expect(await detailsOf('lead', { password: 'password123' })).to.deep.equal(['is one of the most common passwords']);
    expect(await detailsOf('lead', { password: 'a-new-name', username: 'a-new-name' })).to.deep.equal([
      'must not be the username or the email',
    ]);
    expect(await detailsOf('user', { password: 'a new secret', currentPassword: 'x' })).to.deep.equal([
      'is not the current password',
    ]);
  });
});
