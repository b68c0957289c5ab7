/** The seconds of an hour. */
export const HOUR_SECONDS = 60 * 60;

/** A network from which users log in. */
export const HOME = '192.0.2.0/24';
