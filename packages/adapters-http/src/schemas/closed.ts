/** The option of a schema that allows no additional properties. */
export const closed = { additionalProperties: false };
