import { OPERATOR, type UserId } from '@chapter/domain';
import { browserUrl, isPageAssumed } from '../../config/addresses.ts';
import type { Config } from '../../config/config.ts';
import { snakeCased } from '../../text/text.ts';
import type { CliContext } from './context.ts';
import type { CommandPorts } from './with-database.ts';

/**
 * Creates a password link of the operator, and returns it as the API represents it. Says on standard error what its URL assumes
 * unless a setting names the page or the service.
 */
export const createLink = async (
  { useCases }: CommandPorts,
  userId: UserId,
  hours: number,
  { http }: Config,
  { writeError }: CliContext,
): Promise<Readonly<Record<string, unknown>>> => {
  const link = await useCases().createPasswordLink(OPERATOR, userId, () => ({ hours }));
  if (isPageAssumed(http)) {
    const assumption = http.clientsAreLocal
      ? `The URL assumes that the service is at ${browserUrl(http)}: if not, set PUBLIC_URL, or PORT as for the service.`
      : 'The URL begins with a path: put the address of the service before it, or set PUBLIC_URL.';
    writeError(`${assumption}\n`);
  }
  return snakeCased(link);
};
