import { TypeOverrides, types } from 'pg';

/** Reads dates, instants and intervals as the server's text: JavaScript's `Date` has neither plain dates nor microseconds. */
export const DATES_AS_TEXT = new TypeOverrides();

const { DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL } = types.builtins;
for (const type of [DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL]) DATES_AS_TEXT.setTypeParser(type, String);
