import { PERSONAL_TOKEN_PATTERN } from '../../model/personal-token.ts';
import type { PersonalTokenFormat } from '../../ports/tokens.ts';
import { fakeDigest } from './fake-digest.ts';

const FORM = new RegExp(`^${PERSONAL_TOKEN_PATTERN}$`);
const withChecksum = (text: string): string => text + fakeDigest(text).slice(0, 8);

/** Returns a generator of predictable personal access tokens. */
export const makeFakePersonalTokenFormat = (): PersonalTokenFormat => {
  let count = 0;
  return {
    issue: () => {
      count += 1;
      const token = withChecksum(`chapter_pat_${count.toString(16).padStart(64, '0')}`);
      return { token, digest: fakeDigest(token) };
    },
    digestOf: (token) => (FORM.test(token) && withChecksum(token.slice(0, -8)) === token ? fakeDigest(token) : null),
  };
};
