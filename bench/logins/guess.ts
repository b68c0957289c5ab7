import { randomInt } from 'node:crypto';

/** What somebody guesses. */
export interface Guess {
  readonly username: string;
  readonly password: string;
}

/** A network that hardly anybody else has: guesses are limited by it. The service under test trusts one proxy. */
const anyNetwork = (): string => `10.${randomInt(256)}.${randomInt(256)}.1`;

/** Tries to log in and tells the status, and how many milliseconds the answer took. */
export const guess = async (
  url: string,
  { username, password }: Guess,
): Promise<{ readonly status: number; readonly milliseconds: number }> => {
  const began = performance.now();
  const response = await fetch(`${url}/api/auth/login/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': anyNetwork() },
    body: JSON.stringify({ username, password }),
  });
  await response.arrayBuffer();
  return { status: response.status, milliseconds: performance.now() - began };
};
