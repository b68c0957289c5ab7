import { makeUseCases, unavailable } from '@chapter/domain/api';
import { changeUser, fakeHash, moveUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, faultsOf, refusal, useChapter } from './setup.ts';

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

describe('updateUser, for a current password', () => {
  const chapter = useChapter();

  it('waits for the hasher once: hashing the new password continues the check of the current one', async () => {
    const { hasher } = chapter.world;
    await chapter.update('user', chapter.user, { password: 'a new secret', currentPassword: 'user-secret' });
    expect(hasher.continuations.splice(0)).to.deep.equal([false, true]);
    await chapter.update('lead', chapter.user, { password: 'another secret' });
    expect(hasher.continuations).to.deep.equal([false]);
  });

  it('counts no check of the current password that the hasher refuses', async () => {
    const { hasher } = chapter.world;
    const verify = hasher.verify.bind(hasher);
    const change = () =>
      chapter.update('user', chapter.user, { password: 'a new secret', currentPassword: 'user-secret' });
    hasher.verify = () => Promise.reject(unavailable());
    for (let tries = 0; tries < 12; tries++) await refusal('unavailable', change);
    hasher.verify = verify;
    await change();
    expect(await chapter.passwordOf(chapter.user)).to.equal('a new secret');
  });

  it('computes nothing for a client that disconnected', async () => {
    const { hasher } = chapter.world;
    const gone = (who: 'lead' | 'user') => {
      const actor = acting(chapter[who]);
      return { ...actor, origin: { requestId: null, network: null, isAbandoned: () => true } };
    };
    const change = { password: 'a new secret', currentPassword: 'user-secret' };
    for (const who of ['user', 'lead'] as const) {
      await refusal('unavailable', () =>
        chapter.useCases.updateUser(gone(who), chapter.user.id, () => ({ fields: change })),
      );
    }
    expect(hasher.work.count).to.equal(0);
  });

  it('requires the current password from users and Leaders who change their own', async () => {
    for (const who of ['user', 'lead'] as const) {
      const refused = await refusal('validation_failed', () =>
        chapter.update(who, chapter[who], { password: 'a new secret' }),
      );
      expect(faultsOf(refused)).to.deep.equal(['currentPassword required']);
    }
  });

  it('rejects a wrong current password together with the other faults', async () => {
    const refused = await refusal('validation_failed', () =>
      chapter.update('user', chapter.user, { password: 'a new secret', currentPassword: 'guess', email: 'x' }),
    );
    expect(faultsOf(refused)).to.deep.equal(['email invalid_format', 'currentPassword incorrect']);
  });

  it('allows ten wrong current passwords per user, also if the username changes', async () => {
    for (let guess = 1; guess <= 10; guess++) {
      if (guess === 5) await chapter.update('user', chapter.user, { username: 'renamed' });
      const change = { password: 'a new secret', currentPassword: 'guess' };
      await refusal('validation_failed', () => chapter.update('user', chapter.user, change));
    }
    await chapter.update('user', chapter.user, { username: 'user' });
    const right = { password: 'a new secret', currentPassword: 'user-secret' };
    await refusal('rate_limited', () => chapter.update('user', chapter.user, right));
    expect(await chapter.passwordOf(chapter.user)).to.equal('user-secret');
  });

  it('rejects an unreadable current password even if the stored hash is that of the empty text', async () => {
    const empty = await chapter.admit('empty', ['User'], { passwordHash: fakeHash('') });
    for (const currentPassword of ['\0', 'x'.repeat(5000)]) {
      const fields = { password: 'a new secret', currentPassword };
      const attempt = () => chapter.useCases.updateUser(acting(empty), empty.id, () => ({ fields }));
      expect(faultsOf(await refusal('validation_failed', attempt))).to.deep.equal(['currentPassword incorrect']);
    }
  });

  it('neither checks nor counts a current password without a new one', async () => {
    for (let time = 0; time < 11; time++) {
      const changed = await chapter.update('user', chapter.user, { currentPassword: 'guess', lastName: `L${time}` });
      expect(changed.lastName).to.equal(`L${time}`);
    }
    await chapter.logIn('user', 'user-secret');
    const refused = await refusal('validation_failed', () =>
      chapter.update('user', chapter.user, { currentPassword: 7 }),
    );
    expect(faultsOf(refused)).to.deep.equal(['currentPassword invalid_type']);
  });

  it('fails if the password was changed, or the user deleted, after the current one was checked', async () => {
    const { world, user } = chapter;
    const stale = await world.credentials.find(user.id);
    await chapter.update('lead', user, { password: 'a new secret' });
    const fields = { password: 'mine again', currentPassword: 'user-secret' };
    for (const found of [stale, null]) {
      const racing = { ...world, credentials: { ...world.credentials, find: () => Promise.resolve(found) } };
      const attempt = () => makeUseCases(racing).updateUser(acting(user), user.id, () => ({ fields }));
      expect(faultsOf(await refusal('validation_failed', attempt))).to.deep.equal(['currentPassword incorrect']);
    }
  });

  it('refuses the fields of a Leader, not the current password, after a move and a new password in the meantime', async () => {
    const { world, useCases, lead, south } = chapter;
    const refused = await refusal('field_forbidden', () =>
      useCases.updateUser(acting(lead), lead.id, async () => {
        await moveUser(world, lead.id, south.id);
        const passwordHash = fakeHash('set by the Leader of South');
        await changeUser(world, lead.id, {}, { passwordHash });
        return { fields: { groups: ['User'], password: 'a new secret', currentPassword: 'lead-secret' } };
      }),
    );
    expect(faultsOf(refused)).to.deep.equal(['groups field_forbidden']);
    expect(await chapter.passwordOf(lead)).to.equal('set by the Leader of South');
  });

  it('counts no check of a current password while the hashing queue is full', async () => {
    const { world } = chapter;
    const begun: unknown[] = [];
    const loginLimits = {
      ...world.loginLimits,
      begin: (...given: Parameters<typeof world.loginLimits.begin>) => {
        begun.push(given);
        return world.loginLimits.begin(...given);
      },
    };
    let full = true;
    const requireCapacity = () => {
      if (full) throw unavailable();
    };
    const { updateUser } = makeUseCases({ ...world, loginLimits, hasher: { ...world.hasher, requireCapacity } });
    const { origin: _, ...actor } = acting(chapter.user);
    const attempt = () =>
      updateUser(actor, chapter.user.id, () => ({
        fields: { password: 'a new secret', currentPassword: 'user-secret' },
      }));
    await refusal('unavailable', attempt);
    expect(begun).to.deep.equal([]);
    full = false;
    await attempt();
    // Outside a request there is no network.
    expect(begun).to.deep.equal([[{ userId: actor.id }, '']]);
  });
});
