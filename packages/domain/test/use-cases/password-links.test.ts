import { type DomainErrorCode, OPERATOR, type SentRequest, type User, unavailable } from '@chapter/domain';
import { passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, type Chapter, faultsOf, makeChapter, refusal, unasked } from './setup.ts';

const PASSWORD = 'a brand new secret';
const ORIGIN = { requestId: 'r', network: '192.0.2.0/24' };

describe('Password links', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  const issue = (issuer: User, target: User) =>
    chapter.useCases.createPasswordLink(acting(issuer), target.id, () => {});
  const redeem = (token: unknown, password: unknown = PASSWORD, more: Partial<SentRequest> = {}) =>
    chapter.useCases.redeemPasswordLink(ORIGIN, () => ({ fields: { token, password }, ...more }));
  const refused = (code: DomainErrorCode, token: unknown, password?: unknown) =>
    refusal(code, () => redeem(token, password));
  const set = ({ id }: User, values: Partial<User>) =>
    chapter.world.users.update(OPERATOR, id, ({ user }) => ({ user: { ...user, ...values }, endsSessions: false }));
  const passwordOf = async ({ id }: User) => passwordIn((await chapter.world.credentials.find(id))?.passwordHash ?? '');
  /** Passes each limit of a network by other networks. */
  const failuresLeft = async () => {
    let left = 0;
    const { loginLimits } = chapter.world;
    try {
      for (; left <= 100; left++) await loginLimits.begin({ username: `u${left}` }, ORIGIN.network);
    } catch {
      return left;
    }
    return left;
  };

  it('let their user set a password, once, and end the sessions', async () => {
    const { useCases, lead, user, world } = chapter;
    const login = { username: 'user', password: 'user-secret', network: '192.0.2.0/24' };
    const { refreshToken } = await useCases.logIn(login);
    const { token, expiresAt } = await issue(lead, user);
    expect(Date.parse(expiresAt) - Date.parse(world.clock.now())).to.equal(72 * 3600 * 1000);
    await redeem(token);
    expect(await passwordOf(user)).to.equal(PASSWORD);
    await refusal('invalid_token', () => useCases.refreshSession(refreshToken));
    await refused('invalid_token', token);
    expect(await useCases.logIn({ ...login, password: PASSWORD })).to.have.property('accessToken');
  });

  it('are recorded when they are created and redeemed, without the token', async () => {
    const { lead, user, world } = chapter;
    const { token } = await issue(lead, user);
    await redeem(token);
    const entries = await world.audit.list({ userIds: [user.id], limit: 2 });
    expect(
      entries.map(({ action, authorId, requestId, changes }) => [action, authorId, requestId, changes]),
    ).to.deep.equal([
      ['redeemPasswordLink', user.id, 'r', { password: { old: null, new: 'changed' } }],
      ['createPasswordLink', lead.id, 'request-1', {}],
    ]);
    expect(JSON.stringify(entries)).to.not.include(token).and.not.include(world.refreshTokens.digestOf(token));
  });

  it('are created only by callers who may set the password of that user', async () => {
    const { useCases, lead, guest, user, elsewhere } = chapter;
    const admin = await chapter.admit('admin', ['Leader'], { isStaff: true });
    const outcomes: [User, User, DomainErrorCode][] = [
      [guest, user, 'forbidden'],
      [lead, lead, 'forbidden'],
      [lead, admin, 'forbidden'],
      [user, user, 'forbidden'],
      [user, guest, 'not_found'],
      [elsewhere, user, 'not_found'],
    ];
    for (const [issuer, target, code] of outcomes) {
      await refusal(code, () => useCases.createPasswordLink(acting(issuer), target.id, unasked));
    }
    await refusal('not_found', () => useCases.createPasswordLink(acting(lead), 'no-uuid', unasked));
    const root = await chapter.admit('root', [], { isSuperuser: true });
    expect(await issue(admin, root)).to.have.property('token');
  });

  const losses: Readonly<Record<string, (issuer: User, target: User) => unknown>> = {
    'the issuer is demoted': (issuer) => set(issuer, { groups: ['Guest'] }),
    'the issuer is deactivated': (issuer) => set(issuer, { isActive: false }),
    'the issuer is deleted': (issuer) => chapter.world.users.delete(OPERATOR, issuer.id, () => {}),
    'the issuer is moved': (issuer) => chapter.world.move(issuer.id, chapter.south.id),
    'the user is moved': (_, target) => chapter.world.move(target.id, chapter.south.id),
    'the user becomes an Administrator': (_, target) => set(target, { isStaff: true }),
    'the user is deactivated': (_, target) => set(target, { isActive: false }),
    'the user is deleted': (_, target) => chapter.world.users.delete(OPERATOR, target.id, () => {}),
    'the link expires': () => chapter.world.clock.advance(72 * 3600),
    'the link is used': (_, target) =>
      chapter.world.users.update(OPERATOR, target.id, ({ user }) => ({
        user,
        passwordHash: 'hashed:9:set meanwhile',
        endsSessions: true,
      })),
    'the token is unknown': () => {},
  };
  for (const [loss, apply] of Object.entries(losses)) {
    it(`are refused with invalid_token when ${loss}: one look-up, no hash, one failure of the network`, async () => {
      const { lead, user, world } = chapter;
      const { token } = await issue(lead, user);
      await apply(lead, user);
      let lookUps = 0;
      const find = world.passwordLinks.find.bind(world.passwordLinks);
      world.passwordLinks.find = (digest) => {
        lookUps += 1;
        return find(digest);
      };
      world.passwordLinks.redeem = () => expect.fail('the refusal needs no transaction');
      world.hasher.work.count = 0;
      const before = loss === 'the token is unknown' ? `${token}x` : token;
      const { message } = await refused('invalid_token', before);
      expect(message).to.equal((await refused('invalid_token', 'no token')).message);
      expect([lookUps, world.hasher.work.count, await failuresLeft()]).to.deep.equal([2, 0, 98]);
    });

    it(`are refused in the transaction when ${loss} while the password is hashed`, async () => {
      const { lead, user, world } = chapter;
      if (loss === 'the token is unknown') return;
      const { token } = await issue(lead, user);
      const before = await passwordOf(user);
      const hash = world.hasher.hash.bind(world.hasher);
      world.hasher.hash = async (...call) => {
        await apply(lead, user);
        return hash(...call);
      };
      await refused('invalid_token', token);
      if (!/deleted|used/.test(loss)) expect(await passwordOf(user)).to.equal(before);
    });
  }

  it('work again once an inactive user is active', async () => {
    const { lead, user } = chapter;
    await set(user, { isActive: false });
    const { token } = await issue(lead, user);
    await refused('invalid_token', token);
    await set(user, { isActive: true });
    await redeem(token);
    expect(await passwordOf(user)).to.equal(PASSWORD);
  });

  it('let only one of two concurrent redemptions succeed', async () => {
    const { lead, user } = chapter;
    const { token } = await issue(lead, user);
    const outcomes = await Promise.allSettled([redeem(token), redeem(token, 'another new secret')]);
    expect(outcomes.map(({ status }) => status).toSorted()).to.deep.equal(['fulfilled', 'rejected']);
    expect(await failuresLeft()).to.equal(99);
  });

  it('check shape and length of the body before the token, and all other rules after it', async () => {
    const { lead, user, world } = chapter;
    const { token } = await issue(lead, user);
    const faults = async (...call: Parameters<typeof refused>) => faultsOf(await refused(...call));
    expect(await faults('validation_failed', 'unknown', 'short')).to.deep.equal(['password too_short']);
    expect(await faults('validation_failed', 7, 'x'.repeat(129))).to.deep.equal([
      'token invalid_type',
      'password too_long',
    ]);
    const empty = await refusal('validation_failed', () =>
      chapter.useCases.redeemPasswordLink(ORIGIN, () => ({ fields: {} })),
    );
    expect(faultsOf(empty)).to.deep.equal(['token required', 'password required']);
    const duplicate = await refusal('validation_failed', () =>
      chapter.useCases.redeemPasswordLink(ORIGIN, () => ({
        fields: {},
        faults: [{ field: 'token', code: 'duplicate', detail: 'appears more than once' }],
      })),
    );
    expect(faultsOf(duplicate)).to.deep.equal(['token duplicate', 'password required']);
    const [noText] = (await refused('validation_failed', 7)).faults;
    expect(noText).to.deep.equal({ field: 'token', code: 'invalid_type', detail: 'must be a string' });
    world.hasher.work.count = 0;
    for (const password of ['password123', 'a tab\tis no text']) await refused('invalid_token', 'unknown', password);
    expect(await faults('validation_failed', token, 'password123')).to.deep.equal(['password too_common']);
    expect(await faults('validation_failed', token, 'a tab\tis no text')).to.deep.equal(['password invalid_format']);
    await set(user, { email: 'user@example.org' });
    expect(await faults('validation_failed', token, 'USER@example.org')).to.deep.equal(['password too_common']);
    expect(world.hasher.work.count).to.equal(0);
    await redeem(token);
    expect(await failuresLeft()).to.equal(98);
  });

  it('refuse a password that becomes the email while it is hashed, and stay valid', async () => {
    const { lead, user, world } = chapter;
    const { token } = await issue(lead, user);
    const hash = world.hasher.hash.bind(world.hasher);
    world.hasher.hash = async (...call) => {
      await set(user, { email: 'user@example.org' });
      return hash(...call);
    };
    expect(faultsOf(await refused('validation_failed', token, 'user@example.org'))).to.deep.equal([
      'password too_common',
    ]);
    await redeem(token);
  });

  it('are not created when the issuer is demoted before the transaction', async () => {
    const { lead, user, world } = chapter;
    const create = world.passwordLinks.create.bind(world.passwordLinks);
    world.passwordLinks.create = async (...call) => {
      await set(lead, { groups: ['Guest'] });
      return create(...call);
    };
    await refusal('forbidden', () => issue(lead, user));
  });

  it('let the hasher skip a client that has disconnected', async () => {
    const { lead, user, useCases, world } = chapter;
    const { token } = await issue(lead, user);
    const isAbandoned = () => true;
    const hash = world.hasher.hash.bind(world.hasher);
    world.hasher.hash = (password, options) => {
      expect(options?.isAbandoned).to.equal(isAbandoned);
      return hash(password);
    };
    await useCases.redeemPasswordLink({ ...ORIGIN, isAbandoned }, () => ({ fields: { token, password: PASSWORD } }));
  });

  it('stay valid, and count no failure, when the hashing queue is full', async () => {
    const { lead, user, world } = chapter;
    const { token } = await issue(lead, user);
    const hash = world.hasher.hash.bind(world.hasher);
    world.hasher.hash = () => Promise.reject(unavailable());
    await refused('unavailable', token);
    world.hasher.hash = hash;
    await redeem(token);
    expect(await failuresLeft()).to.equal(100);
  });

  it('are redeemed even if the attempt cannot be withdrawn afterwards; it then counts', async () => {
    const { lead, user, world } = chapter;
    const { token } = await issue(lead, user);
    const begin = world.loginLimits.begin.bind(world.loginLimits);
    let withdrawals = 0;
    world.loginLimits.begin = async (...call) => ({
      ...(await begin(...call)),
      withdraw: () => {
        withdrawals += 1;
        return Promise.reject(unavailable());
      },
    });
    await redeem(token);
    world.loginLimits.begin = begin;
    expect(await passwordOf(user)).to.equal(PASSWORD);
    expect([withdrawals, await failuresLeft()]).to.deep.equal([1, 99]);
  });

  it('are refused with rate_limited, before the body is read, when the network failed 100 times', async () => {
    const { lead, user, useCases } = chapter;
    const { token } = await issue(lead, user);
    for (let failures = 0; failures < 100; failures++) await refused('invalid_token', 'unknown');
    await refusal('rate_limited', () => useCases.redeemPasswordLink(ORIGIN, unasked));
    const login = { username: 'user', password: 'user-secret', network: ORIGIN.network };
    await refusal('rate_limited', () => useCases.logIn(login));
    await useCases.redeemPasswordLink({ ...ORIGIN, network: '198.51.100.0/24' }, () => ({
      fields: { token, password: PASSWORD },
    }));
  });
});
