/** Copies the named properties of a value, and no other. */
export const pick = <T extends object, Key extends keyof T>(value: T, keys: readonly Key[]): Pick<T, Key> =>
  // The entries are those of the named properties, which fromEntries cannot say.
  Object.fromEntries(keys.map((key) => [key, value[key]])) as Pick<T, Key>;
