import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own request id where it has the form that logs can hold, else a new one. Contract, section 1. */
export const requestIdOf = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && ACCEPTED.test(sent) ? sent : randomUUID();
