import type { MissingUser, PlannedMissing } from '@chapter/adapters-postgres';
import { formatCount, snakeCased } from '../../text/text.ts';
import type { CliContext } from '../steps/context.ts';
import type { Result } from '../steps/define-command.ts';
import { type ListFormat, makeJsonArray, makeRows } from '../steps/format.ts';

const MISSING_COLUMNS = ['username', 'first name', 'last name', 'division', 'is active'];

const cellsOf = ({ division, firstName, isActive, lastName, username }: MissingUser): readonly unknown[] => [
  username,
  firstName,
  lastName,
  division,
  isActive,
];

/** Maximum number of Leaders that the text names. It counts the others. */
const MAX_NAMED_LEADERS = 20;

/** Describes the deactivation of the users that no line matches. */
export const describeMissing = ({ changed, kept }: PlannedMissing, isDone: boolean): string => {
  const deactivated = `${formatCount(changed, 'user')} ${isDone ? '' : 'would be '}deactivated`;
  const text = `Missing: ${deactivated}, ${formatCount(kept.length, 'Leader')} kept active\n`;
  if (kept.length === 0) return text;
  const named = kept.slice(0, MAX_NAMED_LEADERS).map(({ division, username }) => `${username} (${division})`);
  const more = kept.length > MAX_NAMED_LEADERS ? ` and ${kept.length - MAX_NAMED_LEADERS} more` : '';
  return `${text}Kept, because their divisions would have no active Leader: ${named.join(', ')}${more}\n`;
};

/**
 * Prints the result of an import with the users that `read` yields: as one JSON object, or the text to standard error and
 * the users to standard output, as a table or as CSV.
 */
export const printMissing = async (
  { text, value }: Result,
  read: (receive: (users: readonly MissingUser[]) => Promise<void>) => Promise<void>,
  { format, json }: { readonly format?: ListFormat; readonly json: boolean },
  context: CliContext,
): Promise<void> => {
  const array = makeJsonArray();
  const formatRows = makeRows(format, MISSING_COLUMNS);
  if (json) context.write(`${JSON.stringify(value, null, 2).slice(0, -2)},\n  "missing": `);
  else context.writeError(text);
  let isEmpty = true;
  await read(async (users) => {
    isEmpty = false;
    context.write(json ? array.items(users.map(snakeCased)) : formatRows(users.map(cellsOf)));
    await context.drained();
  });
  if (json) context.write(`${array.end()}}\n`);
  else if (isEmpty) context.write(formatRows([]));
};
