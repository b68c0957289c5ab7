/** Copies only the named properties of a value. */
export const pick = <T extends object, Key extends keyof T>(value: T, keys: readonly Key[]): Pick<T, Key> =>
  // The type of Object.fromEntries loses the keys.
  Object.fromEntries(keys.map((key) => [key, value[key]])) as Pick<T, Key>;
