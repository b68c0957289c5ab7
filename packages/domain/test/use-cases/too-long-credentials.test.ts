import type { DomainErrorCode } from '@chapter/domain';
import { expect } from 'chai';
import { expectCheapNormalization, normalizedDuring, swappedMarks } from '../../../../test-support/normalizations.ts';
import { acting, faultsOf, refusal, useChapter } from './setup.ts';

const LONG = swappedMarks(65_536);

describe('Credentials that are too long', () => {
  const chapter = useChapter();

  const refusedCheaply = async (code: DomainErrorCode, attempt: () => unknown) => {
    chapter.world.hasher.work.count = 0;
    const texts = await normalizedDuring(() => refusal(code, attempt));
    for (const text of texts) expectCheapNormalization(text, 1200);
    expect(chapter.world.hasher.work.count).to.equal(1);
  };

  it('do not log in, at the cost of one hash and without costly work', async () => {
    await refusedCheaply('invalid_credentials', () => chapter.logIn(LONG, 'user-secret'));
    await refusedCheaply('invalid_credentials', () => chapter.logIn('user', LONG));
    await refusedCheaply('invalid_credentials', () => chapter.logIn(LONG, LONG));
    await refusedCheaply('invalid_credentials', () => chapter.logIn(swappedMarks(1200), swappedMarks(1024)));
  });

  it('count under one key as usernames, and lock out no one else', async () => {
    const subjects: unknown[] = [];
    const loginLimits = { ...chapter.world.loginLimits };
    chapter.world.loginLimits.begin = (subject, network) => {
      subjects.push(subject);
      return loginLimits.begin(subject, network);
    };
    for (let attempt = 0; attempt < 10; attempt++) {
      await refusal('invalid_credentials', () => chapter.logIn(`${attempt}${LONG}`, 'user-secret'));
    }
    await refusal('rate_limited', () => chapter.logIn(LONG, 'user-secret'));
    expect(subjects).to.deep.equal(Array.from({ length: 11 }, () => ({ username: '' })));
    expect(await chapter.logIn('user', 'user-secret')).to.have.property('accessToken');
  });

  it('are rejected as a current password, at the cost of one hash', async () => {
    const { user, useCases } = chapter;
    const fields = { password: 'a new secret', currentPassword: LONG };
    await refusedCheaply('validation_failed', () => useCases.updateUser(acting(user), user.id, () => ({ fields })));
    const refused = await refusal('validation_failed', () =>
      useCases.updateUser(acting(user), user.id, () => ({ fields })),
    );
    expect(faultsOf(refused)).to.deep.equal(['currentPassword incorrect']);
  });

  it('are hashed as refresh tokens without normalization', async () => {
    const texts = await normalizedDuring(async () => {
      await refusal('invalid_token', () => chapter.useCases.refreshSession(LONG));
      await chapter.useCases.endSession(LONG);
    });
    expect(texts).to.deep.equal([]);
  });
});
