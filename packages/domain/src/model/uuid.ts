const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Tells whether a value is a UUID in lower case, the only form in which ids are stored and compared. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

/** A UUID in lower case, from text in any case; undefined when the text is no UUID (RFC 9562, section 4). */
export const parseUuid = (text: string): string | undefined => {
  const lower = text.toLowerCase();
  return isUuid(lower) ? lower : undefined;
};
