import { decideTokenCreation, decideTokenEnd, OPERATOR, PERSONAL_TOKEN_RULES } from '@chapter/domain/ports';
import { aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { refusal } from '../use-cases/setup.ts';
import { lockedBy } from './locked.ts';

describe('The creation and the end of a personal access token', () => {
  const user = aUser();
  const { actor, user: owner } = lockedBy(user, { user });
  const caller = { ...user, sessionId: user.id };
  const token = {
    id: aUser().id,
    userId: user.id,
    name: 'backup',
    digest: 'd',
    isReadOnly: true,
    expiresAt: '2030-01-01',
  };
  const create = (count: number) =>
    decideTokenCreation(caller, { actor, count, sessions: [user.id], user: owner }, token);

  it('are recorded with all that is public of the token', () => {
    expect(create(0)).to.deep.include({
      action: 'createAccessToken',
      targetId: user.id,
      changes: {
        token: { old: null, new: token.id },
        tokenName: { old: null, new: 'backup' },
        readOnly: { old: null, new: true },
        expiresAt: { old: null, new: token.expiresAt },
      },
    });
    expect(decideTokenEnd(caller, { actor, token, user: owner })).to.deep.include({
      action: 'endAccessToken',
      targetId: user.id,
      changes: { token: { old: token.id, new: null }, tokenName: { old: 'backup', new: null } },
    });
  });

  it('are refused beyond the limit, for an inactive user, and once the session of the caller has ended', async () => {
    const { maxPerUser } = PERSONAL_TOKEN_RULES;
    expect(create(maxPerUser - 1).action).to.equal('createAccessToken');
    const tooMany = await refusal('too_many_tokens', async () => create(maxPerUser));
    expect(tooMany.message).to.include('20');
    const locked = { actor, user: owner, count: 0, sessions: [token.id] };
    await refusal('invalid_token', async () => decideTokenCreation(caller, locked, token));
    const inactive = { ...locked, user: { ...owner, isActive: false } };
    const { message } = await refusal('forbidden', async () => decideTokenCreation(OPERATOR, inactive, token));
    expect(message).to.include('an inactive user cannot have personal access tokens');
  });
});
