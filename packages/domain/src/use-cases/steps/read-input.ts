/**
 * Reads what a request carries beyond its target. A use case calls it once the caller is known to be allowed, so that a
 * caller without permission learns nothing from its validation (contract, section 1). If it throws, nothing happens.
 */
export type ReadInput<T> = () => T | Promise<T>;
