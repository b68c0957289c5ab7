import { packageIn } from '../replaced.ts';

/** Tokens that are checked each time, for nothing is remembered of them. */
export const replaces = packageIn('packages/app/src/tokens/jose-access-tokens.ts', 'lru-cache');

/** In the place of the package's class of that name. */
export class LRUCache {
  get(): undefined {}
  set(): void {}
}
