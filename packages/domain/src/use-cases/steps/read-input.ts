/**
 * What a request carries beyond its target, read only once the caller is known to be allowed: whoever may not do a thing
 * learns nothing from the validation of what they sent (contract, section 1). It may throw, and then nothing happens.
 */
export type Ask<T> = () => T | Promise<T>;
