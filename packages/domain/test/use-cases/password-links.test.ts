import { unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import { ORIGIN, PASSWORD, passwordLinksOf } from './password-link-requests.ts';
import { faultsOf, refusal, unasked, useChapter } from './setup.ts';

describe('Password links', () => {
  const chapter = useChapter();

  const { issue, redeem, refused, set, passwordOf, failuresLeft } = passwordLinksOf(() => chapter);

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

  it('lead to the page that sets passwords, with the username and the token in the fragment', async () => {
    const { url, token } = await issue(chapter.lead, await chapter.admit('a+b@c.', ['User']));
    expect(url).to.equal(`https://members.example.org/password/#username=a%2Bb%40c.&token=${token}`);
    expect(new URLSearchParams(new URL(url).hash.slice(1)).get('username')).to.equal('a+b@c.');
  });

  it('clear the failed logins of their user from the network that redeems them, and no others', async () => {
    const { lead, user, useCases } = chapter;
    const away = '2001:db8::/64';
    const login = (username: string, network: string, password: string) => () =>
      useCases.logIn({ username, password, network });
    for (const [username, network] of [
      ['user', ORIGIN.network],
      ['user', away],
      ['guest', ORIGIN.network],
    ] as const) {
      for (let times = 0; times < 10; times++) await refusal('invalid_credentials', login(username, network, 'wrong'));
    }
    const { token } = await issue(lead, user);
    await redeem(token);
    expect(await login('user', ORIGIN.network, PASSWORD)()).to.have.property('accessToken');
    await refusal('rate_limited', login('user', away, PASSWORD));
    await refusal('rate_limited', login('guest', ORIGIN.network, 'guest-secret'));
  });

  it('hash the password in the share of the network and the user', async () => {
    const { token } = await issue(chapter.lead, chapter.user);
    await redeem(token);
    expect(chapter.world.hasher.shares).to.deep.equal([['logins', ORIGIN.network, chapter.user.id]]);
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

  it('let the hasher skip a client that has disconnected, and stay valid', async () => {
    const { lead, user, useCases, world } = chapter;
    const { token } = await issue(lead, user);
    const isAbandoned = () => true;
    const hash = world.hasher.hash.bind(world.hasher);
    world.hasher.hash = (password, options) => {
      expect(options?.isAbandoned).to.equal(isAbandoned);
      return hash(password);
    };
    const input = () => ({ fields: { token, password: PASSWORD } });
    await refusal('unavailable', () => useCases.redeemPasswordLink({ ...ORIGIN, isAbandoned }, input));
    world.hasher.hash = hash;
    await redeem(token);
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

  it('are redeemed even if the attempt cannot be withdrawn and failures cannot be cleared; they then count', async () => {
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
    world.loginLimits.clear = () => Promise.reject(unavailable());
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
