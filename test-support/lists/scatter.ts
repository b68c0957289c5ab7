/** Returns a pseudorandom 32-bit number, the same for the same arguments. */
export const scatter = (at: number, salt: number): number => {
  let mixed = Math.imul(at + 1, 0x9e37_79b1) ^ Math.imul(salt, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
};

/** Picks one of several texts, the same one for the same arguments. */
export const pickScattered = (from: readonly string[], at: number, salt: number): string =>
  from[scatter(at, salt) % from.length] ?? '';
