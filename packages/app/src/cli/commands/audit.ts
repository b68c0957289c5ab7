import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEntry,
  type NamedAuditEntry,
  NO_TARGET,
  OPERATOR,
  snakeCase,
} from '@chapter/domain/api';
import { Option } from 'commander';
import { formatCount, snakeCased } from '../../text/text.ts';
import { defineCommand, defineListCommand } from '../steps/define-command.ts';
import { findDivisionId, findPeople } from '../steps/find.ts';
import { formatValue } from '../steps/format.ts';
import { countOption, instantOption, withUserAlias } from '../steps/options.ts';
import { asOwner, type CommandPorts, withPorts, withPortsOfOwner } from '../steps/with-database.ts';

/** Options of `audit` that `audit prune` rejects. If it ignored them, it would remove more entries than they select. */
const FILTERS = ['user', 'username', 'division', 'since', 'until', 'action', 'limit', 'format'] as const;

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
  findFault: ({ before }: { before: string }) =>
    before > new Date().toISOString() ? '--before must not be in the future' : undefined,
  run: ({ before }, context) =>
    withPortsOfOwner(context, async ({ useCases }) => {
      const removed = await asOwner(() => useCases().pruneAudit(OPERATOR, before));
      return { value: { before, removed }, text: `Removed ${formatCount(removed, 'entry')} before ${before}.\n` };
    }),
});

const [DEFAULT_ENTRIES, MAX_ENTRIES] = [50, 100_000];

interface Options {
  readonly user?: string;
  readonly division?: string;
  readonly since?: string;
  readonly until?: string;
  readonly action?: AuditAction;
  readonly limit: number;
}

const changesIn = ({ changes }: AuditEntry): string =>
  Object.entries(changes)
    .map(([field, change]) => {
      const isErased = change.old === null && change.new === null;
      return `${snakeCase(field)}: ${isErased ? 'erased' : `${formatValue(change.old)} → ${formatValue(change.new)}`}`;
    })
    .join('; ');

const targetOf = ({ targetId, targetName, targetType }: NamedAuditEntry): string => {
  if (targetId === NO_TARGET) return targetType === 'audit' ? 'the audit trail' : 'all divisions';
  return [targetType, ...(targetName === null ? [] : [targetName]), targetId].join(' ');
};

// A user may have the login name `operator`.
const authorOf = ({ authorId, authorName }: AuditEntry) => (authorId === null ? 'the operator' : authorName);

const filterOf = async ({ action, division, since, until, user }: Options, limit: number, ports: CommandPorts) => ({
  limit,
  ...(division === undefined ? {} : { divisionId: await findDivisionId(ports, division) }),
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until }),
  ...(action === undefined ? {} : { action }),
  ...(user === undefined ? {} : { userIds: await findPeople(ports, user) }),
});

/** The `audit` command, which shows changes and their authors, newest first. Contract §7. */
export const auditCommand = defineListCommand({
  name: 'audit',
  description: 'show the audit trail, newest first',
  examples: [
    ['audit --user ada --since 2026-01-31', 'Show changes by ada and changes to ada'],
    [
      'audit --since 2026-01-01 --until 2026-02-01 --limit 100000 --format spreadsheet',
      'Print January for a spreadsheet',
    ],
  ],
  options: (command) =>
    withUserAlias(
      command.option('--user <user>', 'only changes by or to this user, by id or by any current or former name'),
    )
      .option('--division <division>', 'only changes that concern this division, by name or id')
      .addOption(instantOption('since', 'only changes from this time on (ISO 8601)'))
      .addOption(instantOption('until', 'only changes before this time (ISO 8601)'))
      .addOption(new Option('--action <action>', 'only changes by this action').choices(AUDIT_ACTIONS))
      .addOption(countOption('limit', 'maximum number of changes', DEFAULT_ENTRIES, MAX_ENTRIES)),
  subcommands: [prune],
  columns: ['at', 'by', 'action', 'target', 'changes'],
  instants: ['at'],
  cellsOf: (entry: NamedAuditEntry) => [entry.at, authorOf(entry), entry.action, targetOf(entry), changesIn(entry)],
  jsonOf: snakeCased,
  run: (options: Options, print, context) =>
    withPorts(context, async (ports) => {
      const { limit } = options;
      // One more entry than is printed shows whether there are more.
      const found = await ports.audit.list(await filterOf(options, limit + 1, ports));
      await print(found.slice(0, limit));
      if (found.length > limit) {
        context.writeError(
          `There are older entries. Print more with --limit (at most ${MAX_ENTRIES}), or choose a period with --since and --until.\n`,
        );
      }
    }),
});
