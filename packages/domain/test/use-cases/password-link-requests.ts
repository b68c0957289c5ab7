import type { DomainError, DomainErrorCode, SentRequest, User } from '@chapter/domain/api';
import { changeUser, passwordIn } from '@chapter/domain/testing';
import { acting, type Chapter, refusal } from './setup.ts';

/** The password that links set unless a test names another. */
export const PASSWORD = 'a brand new secret';
/** The origin of the requests that redeem links. */
export const ORIGIN = { requestId: 'r', network: '192.0.2.0/24' };

/** Returns functions that create and redeem password links in the current chapter. */
export const passwordLinksOf = (current: () => Chapter) => {
  const redeem = (token: unknown, password: unknown = PASSWORD, more: Partial<SentRequest> = {}): Promise<void> =>
    current().useCases.redeemPasswordLink(ORIGIN, () => ({ fields: { token, password }, ...more }));
  return {
    issue: (issuer: User, target: User) => current().useCases.createPasswordLink(acting(issuer), target.id, () => {}),
    redeem,
    refused: (code: DomainErrorCode, token: unknown, password?: unknown): Promise<DomainError> =>
      refusal(code, () => redeem(token, password)),
    set: ({ id }: User, values: Partial<User>) => changeUser(current().world, id, values),
    passwordOf: async ({ id }: User): Promise<string> =>
      passwordIn((await current().world.credentials.find(id))?.passwordHash ?? ''),
    /** How many failures the network has left. Passes each limit of a network by other networks. */
    failuresLeft: async (): Promise<number> => {
      let left = 0;
      const { loginLimits } = current().world;
      try {
        for (; left <= 100; left++) await loginLimits.begin({ username: `u${left}` }, ORIGIN.network);
      } catch {
        return left;
      }
      return left;
    },
  };
};
