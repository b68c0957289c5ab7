import {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  type CredentialStore,
  normalizeForLookup,
  parseUuid,
  snakeCase,
  userRules,
} from '@chapter/domain';
import type { Command } from 'commander';
import { snakeCased } from '../text/snake-case.ts';
import { auditPrune } from './audit-prune.ts';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { findUser } from './find-user.ts';
import { formatTable, formatValue } from './format.ts';
import { makeCommand } from './make-command.ts';
import { countOption, instantOption, withUserAlias } from './options.ts';
import { type OperatorPorts, withPorts } from './with-database.ts';

interface Options {
  readonly user?: string;
  readonly division?: string;
  readonly since?: string;
  readonly limit: number;
}

const changesIn = ({ changes }: AuditEntry): string =>
  Object.entries(changes)
    .map(([field, change]) => {
      const isErased = change.old === null && change.new === null;
      return `${snakeCase(field)}: ${isErased ? 'erased' : `${formatValue(change.old)} → ${formatValue(change.new)}`}`;
    })
    .join('; ');

/** Returns the ids of all users who have or had this name or id. @throws OperatorError if a name matches no user. */
const findUserIds = async (
  trail: AuditLog,
  credentials: CredentialStore,
  named: string,
): Promise<readonly string[]> => {
  const id = parseUuid(named);
  const former = await trail.findUsersByName(normalizeForLookup(named, userRules.username.max));
  if (id !== undefined) return [id, ...former];
  return former.length > 0 ? former : [(await findUser(credentials, named)).id];
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

/** Makes the `audit` command, which shows changes and their authors, newest first. Contract §7. */
export const audit = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'audit',
      description: 'show the audit trail, newest first',
      examples: [
        ['audit --user ada --since 2026-01-31', 'Show changes by ada and changes to ada'],
        ['audit --json --limit 1000', 'Print JSON for programs'],
      ],
      options: (command) =>
        withUserAlias(
          command.option('--user <user>', 'only changes by or to this user, by id or by any current or former name'),
        )
          .option('--division <division>', 'only changes that concern this division, by name or id')
          .addOption(instantOption('since', 'only changes from this time on (ISO 8601)'))
          .addOption(countOption('limit', 'maximum number of changes', 50, 100_000)),
    },
    (options: Options) =>
      withPorts(context, async (ports) => {
        const entries = await ports.audit.list(await filterOf(options, ports));
        const rows = entries.map((entry) => [
          entry.at,
          // A user may have the login name `operator`.
          entry.authorId === null ? 'the operator' : entry.authorName,
          entry.action,
          entry.targetType === 'audit' ? 'the audit trail' : `${entry.targetType} ${entry.targetId}`,
          changesIn(entry),
        ]);
        return { value: snakeCased(entries), text: formatTable(['at', 'by', 'action', 'target', 'changes'], rows) };
      }),
  ).addCommand(auditPrune(context));
