import { type WireFault, wireFault } from '../errors/wire-names.ts';

/** The header that makes a creation happen once. Contract, section 7. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** What such a key looks like: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$';

const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** The faults of a key, if it is there and has any. */
export const idempotencyKeyFaults = (key: string | undefined): readonly WireFault[] =>
  key === undefined || KEY.test(key)
    ? []
    : [wireFault(IDEMPOTENCY_KEY, 'invalid_format', 'must be 1 to 255 visible ASCII characters')];
