import { type AuditEntry, type AuditFilter, NO_TARGET, OPERATOR, snakeCase } from '@chapter/domain';
import { formatCount, snakeCased } from '../../text/text.ts';
import { defineCommand, defineListCommand } from '../steps/define-command.ts';
import { findDivisionId, findPeople } from '../steps/find.ts';
import { formatValue } from '../steps/format.ts';
import { countOption, instantOption, withUserAlias } from '../steps/options.ts';
import { asOwner, type CommandPorts, withPorts, withPortsOfOwner } from '../steps/with-database.ts';

/** Options of `audit` that `audit prune` rejects. If it ignored them, it would remove more entries than they select. */
const FILTERS = ['user', 'username', 'division', 'since', 'limit'] as const;

const prune = defineCommand({
  name: 'prune',
  description: 'remove all entries before a time from the audit trail, and record the removal',
  examples: [['audit prune --before 2025-01-01', 'Remove the entries before 2025']],
  options: (command) =>
    command
      .addOption(instantOption('before', 'remove entries before this time (ISO 8601)').makeOptionMandatory())
      .hook('preAction', (called) => {
        const given = FILTERS.find((filter) => called.parent?.getOptionValueSource(filter) === 'cli');
        if (given !== undefined) called.error(`error: audit prune has no option --${given}`);
      }),
  run: ({ before }: { before: string }, context) =>
    withPortsOfOwner(context, async ({ useCases }) => {
      const removed = await asOwner(() => useCases().pruneAudit(OPERATOR, before));
      return { value: { before, removed }, text: `Removed ${formatCount(removed, 'entry')} before ${before}.\n` };
    }),
});

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

const targetOf = ({ targetId, targetType }: AuditEntry): string => {
  if (targetId === NO_TARGET) return targetType === 'audit' ? 'the audit trail' : 'all divisions';
  return `${targetType} ${targetId}`;
};

// A user may have the login name `operator`.
const authorOf = ({ authorId, authorName }: AuditEntry) => (authorId === null ? 'the operator' : authorName);

const filterOf = async ({ division, limit, since, user }: Options, ports: CommandPorts): Promise<AuditFilter> => ({
  limit,
  ...(division === undefined ? {} : { divisionId: await findDivisionId(ports, division) }),
  ...(since === undefined ? {} : { since }),
  ...(user === undefined ? {} : { userIds: await findPeople(ports, user) }),
});

/** The `audit` command, which shows changes and their authors, newest first. Contract §7. */
export const auditCommand = defineListCommand({
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
  subcommands: [prune],
  columns: ['at', 'by', 'action', 'target', 'changes'],
  cellsOf: (entry: AuditEntry) => [entry.at, authorOf(entry), entry.action, targetOf(entry), changesIn(entry)],
  jsonOf: snakeCased,
  run: (options: Options, print, context) =>
    withPorts(context, async (ports) => print(await ports.audit.list(await filterOf(options, ports)))),
});
