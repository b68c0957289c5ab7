import {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  type CredentialStore,
  lookUpForm,
  parseUuid,
  snakeCase,
  userRules,
} from '@chapter/domain';
import type { Command } from 'commander';
import { snakeCased } from '../text/snake-case.ts';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { findUser } from './find-user.ts';
import { formatTable, formatValue } from './format.ts';
import { makeCommand } from './make-command.ts';
import { countOption, instantOption } from './options.ts';
import { type OperatorPorts, withPorts } from './with-database.ts';

interface Options {
  readonly user?: string;
  readonly division?: string;
  readonly since?: string;
  readonly limit: number;
}

const changesIn = ({ changes }: AuditEntry): string =>
  Object.entries(changes)
    .map(([field, change]) => `${snakeCase(field)}: ${formatValue(change.old)} → ${formatValue(change.new)}`)
    .join('; ');

/** The user with an id, or all users who have or had a name. @throws OperatorError where there are none. */
const findUserIds = async (
  trail: AuditLog,
  credentials: CredentialStore,
  named: string,
): Promise<readonly string[]> => {
  const id = parseUuid(named);
  const earlier = await trail.findUsersByName(lookUpForm(named, userRules.username.max));
  if (id !== undefined) return [id, ...earlier];
  return earlier.length > 0 ? earlier : [(await findUser(credentials, named)).id];
};

const filterOf = async (
  { division, limit, since, user }: Options,
  { audit: trail, credentials, divisions }: OperatorPorts,
): Promise<AuditFilter> => ({
  limit,
  ...(division === undefined
    ? {}
    : { divisionId: parseUuid(division) ?? (await findDivision(divisions, division)).id }),
  ...(since === undefined ? {} : { since }),
  ...(user === undefined ? {} : { userIds: await findUserIds(trail, credentials, user) }),
});

/** `audit`: what was changed, by whom, newest first. Contract §7. */
export const audit = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'audit',
      description: 'show what was changed, newest first',
      examples: [
        ['audit --user ada --since 2026-01-31', 'What ada changed, and what was changed of ada'],
        ['audit --json --limit 1000', 'For programs'],
      ],
      options: (command) =>
        command
          .option(
            '--user <name>',
            'only what a user changed or what was changed of them, by id or by any name they had',
          )
          .option('--division <division>', 'only what concerns a division, by name or id')
          .addOption(instantOption('since', 'only from this time on (ISO 8601)'))
          .addOption(countOption('limit', 'at most so many', 50, 100_000)),
    },
    (options: Options) =>
      withPorts(context, async (ports) => {
        const entries = await ports.audit.list(await filterOf(options, ports));
        const rows = entries.map((entry) => [
          entry.at,
          // Somebody may be called operator.
          entry.authorId === null ? 'the operator' : entry.authorName,
          entry.action,
          `${entry.targetType} ${entry.targetId}`,
          changesIn(entry),
        ]);
        return { value: snakeCased(entries), text: formatTable(['at', 'by', 'action', 'target', 'changes'], rows) };
      }),
  );
