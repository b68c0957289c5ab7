import { GROUPS, type Group } from '@chapter/domain';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDateOrInstant } from '../../text/text.ts';
import { LIST_FORMATS } from './format.ts';

/** Makes an option with the value true or false. */
export const flagOption = (name: string, description: string): Option =>
  new Option(`--${name} <true|false>`, description).argParser((text) => {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new InvalidArgumentError('It must be true or false.');
  });

/** Makes an option for a text that may be empty. Other options without a parser reject an empty value. */
export const textOrEmptyOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text) => text);

/** Makes a repeatable option for groups. */
export const groupOption = (description: string): Option =>
  new Option('--group <group...>', description)
    .choices(GROUPS)
    .argParser((text, previous: readonly Group[] | undefined) => {
      const group = GROUPS.find((name) => name.toLowerCase() === text.toLowerCase());
      if (group === undefined) throw new InvalidArgumentError(`It must be one of ${GROUPS.join(', ')}.`);
      return [...(previous ?? []), group];
    });

/** Adds `--username`, the name of the option `--user` in release 0.1.0, as a hidden alias. Contract §10. */
export const withUserAlias = (command: Command): Command =>
  command.addOption(new Option('--username <user>').hideHelp()).hook('preAction', (called) => {
    const { user, username } = called.opts<{ user?: string; username?: string }>();
    if (user !== undefined && username !== undefined)
      called.error('error: --username is an alias of --user; give only one of them');
    if (username !== undefined) called.setOptionValue('user', username);
  });

/** Adds the required option `--user` with its alias. */
export const withUser = (command: Command, description: string): Command =>
  withUserAlias(command.requiredOption('--user <user>', `${description}, by name or id`));

/** Adds the option `--force` of commands that can remove the last active Leader of a division. Contract §10. */
export const withForce = (command: Command): Command =>
  command.option('--force', 'proceed even if a division has members left but no active Leader');

/** Makes an option for a whole number from 1 to `max`. */
export const countOption = (name: string, description: string, defaultCount: number | undefined, max: number): Option =>
  new Option(`--${name} <n>`, description).default(defaultCount).argParser((text) => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  });

/** Makes the option for the format of a list. `effect` begins its description. */
export const formatOption = (effect: string): Option =>
  new Option(
    '--format <format>',
    `${effect}CSV for programs (csv), or CSV that Excel and LibreOffice read by a double click (spreadsheet)`,
  ).choices(LIST_FORMATS);

/** Makes an option for an ISO 8601 date or time, read as an instant in UTC. */
export const instantOption = (name: string, description: string): Option =>
  new Option(`--${name} <time>`, description).argParser((text) => {
    const instant = parseDateOrInstant(text);
    if (instant !== undefined) return instant;
    throw new InvalidArgumentError('It must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z.');
  });

/** Adds the option `--yes` of commands that ask for confirmation. */
export const withYes = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation; required without a terminal');

/** The files of an import or an export. */
export interface FileOptions {
  readonly divisions?: string;
  readonly users?: string;
}

/** The files in the order in which they are read and written: users refer to divisions. */
export const FILE_OPTIONS: readonly (keyof FileOptions)[] = ['divisions', 'users'];

/** Adds options for a divisions file and a users file; `about` describes them in the help. */
export const withFiles = (command: Command, about: Readonly<Record<keyof FileOptions, string>>): Command =>
  command.option('--divisions <file>', about.divisions).option('--users <file>', about.users);

/** Returns the fault of a call that names no file. */
export const findFilesFault = ({ divisions, users }: FileOptions): string | undefined =>
  (divisions ?? users) ? undefined : 'name a file with --divisions, --users or both';
