import { OPERATOR, type UserId } from '@chapter/domain';
import { snakeCased } from '../../text/text.ts';
import type { CliContext } from './context.ts';
import type { CommandPorts } from './with-database.ts';

/**
 * Creates a password link of the operator, and returns it as the API represents it. Says on standard error how to complete its URL
 * if that is relative.
 */
export const createLink = async (
  { useCases }: CommandPorts,
  userId: UserId,
  hours: number,
  { writeError }: CliContext,
): Promise<Readonly<Record<string, unknown>>> => {
  const link = await useCases().createPasswordLink(OPERATOR, userId, () => ({ hours }));
  if (!URL.canParse(link.url)) {
    writeError('The URL begins with a path: put the address of the service before it, or set PUBLIC_URL.\n');
  }
  return snakeCased(link);
};
