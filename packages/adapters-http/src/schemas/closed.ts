/** The option of a schema whose objects have no other properties than those it names. */
export const closed = { additionalProperties: false };
