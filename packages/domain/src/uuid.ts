const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A UUID in lower case, from text in any case; undefined when the text is no UUID (RFC 9562, section 4). */
export const parseUuid = (text: string): string | undefined => {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? lower : undefined;
};
