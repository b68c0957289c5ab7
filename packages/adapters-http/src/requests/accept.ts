import { JSON_TYPE } from './read-json.ts';

/** The media type of an exported list. */
export const CSV_TYPE = 'text/csv';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const VALUE = `(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;

// RFC 9110, section 12.5.1: a media range with parameters, followed by a comma or the end.
const RANGE = new RegExp(
  `[ \\t]*(${TOKEN}/${TOKEN})((?:[ \\t]*;(?:[ \\t]*${TOKEN}=${VALUE})?)*)[ \\t]*(?:,|$)|[ \\t]*,`,
  'y',
);
const PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})=(${VALUE})`, 'g');
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Returns the quality among the parameters of a media range: 1 by default, undefined if it is malformed. */
const qualityOf = (parameters: string): number | undefined => {
  for (const [, name, value = ''] of parameters.matchAll(PARAMETER)) {
    if (name === 'q' || name === 'Q') return QUALITY.test(value) ? Number(value) : undefined;
  }
  return 1;
};

/** Returns the highest quality of each media range in lower case, or null for a malformed header. Ignores other parameters. */
const qualitiesOf = (accept: string): ReadonlyMap<string, number> | null => {
  const qualities = new Map<string, number>();
  RANGE.lastIndex = 0;
  while (RANGE.lastIndex < accept.length) {
    const match = RANGE.exec(accept);
    if (!match) return null;
    const [, range, parameters = ''] = match;
    if (range === undefined) continue;
    const quality = qualityOf(parameters);
    if (quality === undefined) return null;
    const name = range.toLowerCase();
    qualities.set(name, Math.max(quality, qualities.get(name) ?? 0));
  }
  return qualities;
};

/**
 * Returns whether an `Accept` header names `text/csv` with a higher quality than JSON has. A wildcard applies to JSON
 * only. A malformed header means JSON (contract §11).
 */
export const prefersCsv = (accept: string): boolean => {
  const qualities = qualitiesOf(accept);
  if (!qualities) return false;
  const json = qualities.get(JSON_TYPE) ?? qualities.get('application/*') ?? qualities.get('*/*') ?? 0;
  return (qualities.get(CSV_TYPE) ?? 0) > json;
};
