import { addSeconds } from '../../model/user.ts';
import type { AccessClaims, AccessTokens, RefreshTokens } from '../../ports/tokens.ts';
import type { SettableClock } from '../fakes/settable-clock.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectDifferent, expectEqual, expectRefusal } from './expect.ts';

const claims: AccessClaims = {
  sub: '019b0000-0000-7000-8000-000000000001',
  sid: '019b0000-0000-7000-8000-000000000002',
  username: 'Ada.L+1@x-y_z',
  division_id: '019b0000-0000-7000-8000-000000000003',
  groups: ['Leader', 'User'],
  is_staff: false,
  is_superuser: true,
};

/** The end of a session that outlives every access token of these cases. */
const NEVER = '9999-12-31T23:59:59.999Z';

/** Contract cases for all access tokens. */
export const accessTokensContract: readonly ContractCase<AccessTokens>[] = [
  contractCase('contain the user and the session', async (tokens) => {
    const { token } = await tokens.issue(claims, NEVER);
    const { sub, sid } = await tokens.verify(token);
    expectEqual({ sub, sid }, { sub: claims.sub, sid: claims.sid });
  }),

  contractCase('can be sent as Bearer tokens, and live for whole seconds', async (tokens) => {
    const { token, expiresIn } = await tokens.issue(claims, NEVER);
    expectEqual(/^[A-Za-z0-9\-._~+/]+=*$/.test(token), true, 'the format of RFC 6750');
    expectEqual(Number.isInteger(expiresIn) && expiresIn > 0, true, 'the lifetime');
  }),

  contractCase('are rejected if they are malformed or altered', async (tokens) => {
    const { token } = await tokens.issue(claims, NEVER);
    const { token: other } = await tokens.issue({ ...claims, username: 'other-user', is_superuser: false }, NEVER);
    const [parts, others] = [token.split('.'), other.split('.')];
    const swapped = parts.map((_, at) => parts.map((part, index) => (index === at ? others[at] : part)).join('.'));
    const changed = swapped.filter((text) => text !== token);
    expectEqual(changed.length > 0, true, 'that the tokens differ');
    const none = ['', '.', '..', 'null', '{}', 'a.b.c', `${token}.`, `.${token}`, `${token}A`, token.slice(0, -8), ' '];
    for (const text of [...none, ...changed, 'é', '\u0000', 'x'.repeat(10_000)]) {
      await expectRefusal('invalid_token', tokens.verify(text));
    }
  }),

  contractCase('come with public keys, without private parts, always as the same object', async (tokens) => {
    const set = tokens.keys();
    expectEqual(set.keys.length > 0, true, 'that there are keys');
    for (const key of set.keys) {
      expectEqual([typeof key['kty'], typeof key['kid']], ['string', 'string']);
      const privateParts = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].filter((part) => part in key);
      expectEqual(privateParts, []);
    }
    expectEqual(tokens.keys() === set, true, 'that it is the same object');
  }),
];

/** Contract cases for access tokens that follow a settable clock. */
export const accessTokensInTimeContract: readonly ContractCase<{
  readonly accessTokens: AccessTokens;
  readonly clock: SettableClock;
}>[] = [
  contractCase('are rejected after they expire, at the latest with their session', async ({ accessTokens, clock }) => {
    for (const sessionEndsAt of [addSeconds(clock.now(), 20), NEVER]) {
      const { token, expiresIn } = await accessTokens.issue(claims, sessionEndsAt);
      if (sessionEndsAt !== NEVER) expectEqual(expiresIn, 20);
      clock.advance(expiresIn - 1);
      expectEqual((await accessTokens.verify(token)).sub, claims.sub);
      // Tokens are accepted for five more seconds, in case a clock is slow.
      clock.advance(7);
      await expectRefusal('invalid_token', accessTokens.verify(token));
    }
  }),

  contractCase('expire at once for a session that has ended', async ({ accessTokens, clock }) => {
    const { token, expiresIn } = await accessTokens.issue(claims, addSeconds(clock.now(), -20));
    expectEqual(expiresIn, 0);
    await expectRefusal('invalid_token', accessTokens.verify(token));
  }),
];

/** Contract cases for all refresh tokens. */
export const refreshTokensContract: readonly ContractCase<RefreshTokens>[] = [
  contractCase('come with the digest that identifies them', async (tokens) => {
    const { token, digest } = tokens.issue();
    const digests = tokens.digestsOf(token);
    expectEqual([digests.digest, tokens.digestsOf(token)], [digest, digests]);
    expectEqual(digest.includes(token) || digests.family === digest, false, 'that the digests reveal the token');
  }),

  contractCase('belong to the family of the previous token, or to a new one', async (tokens) => {
    const familyOf = (token: string): string => tokens.digestsOf(token).family;
    const [first, stranger] = [tokens.issue(), tokens.issue()];
    const next = tokens.issue(tokens.issue(first.token).token);
    expectEqual(familyOf(next.token), familyOf(first.token));
    expectDifferent(next.digest, first.digest, 'the digest');
    expectDifferent(familyOf(stranger.token), familyOf(first.token), 'the family');
    // Release 0.1.0 issued 256 bits in base64url. The two tokens that one of them is exchanged for are one family.
    const old = 'x'.repeat(43);
    const issued = [tokens.issue(old), tokens.issue(old)].map(({ token }) => familyOf(token));
    expectEqual(issued, [familyOf(old), familyOf(old)]);
  }),

  contractCase('differ each time, and so do their digests', async (tokens) => {
    const issued = Array.from({ length: 100 }, () => tokens.issue());
    expectEqual(new Set(issued.map(({ token }) => token)).size, 100, 'the number of tokens');
    expectEqual(new Set(issued.map(({ digest }) => digest)).size, 100, 'the number of digests');
    // 256 bits in base64url, without padding.
    const others = issued.filter(({ token }) => !/^[A-Za-z0-9_-]{43,}$/.test(token));
    expectEqual(others, [], 'the tokens of another format');
  }),

  contractCase('have a digest of the same length for any text', async (tokens) => {
    const { digest } = tokens.issue();
    for (const text of ['', ' ', 'é', '\ud800', '\u0000', 'x'.repeat(10_000)]) {
      const other = tokens.digestsOf(text);
      for (const { length } of Object.values(other))
        expectEqual(length, digest.length, JSON.stringify(text.slice(0, 9)));
      expectDifferent(other.digest, digest, 'the digest');
    }
  }),
];
