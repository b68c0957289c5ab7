import type { Command } from 'commander';
import { formatCount } from '../text/format-count.ts';
import { asOwner } from './as-owner.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { instantOption } from './options.ts';
import { withPortsOfOwner } from './with-database.ts';

/** Options of `audit` that `audit prune` rejects. If it ignored them, it would remove more entries than they select. */
const FILTERS = ['user', 'username', 'division', 'since', 'limit'] as const;

/** Makes the `audit prune` command, which removes old entries of the audit trail. Contract §10. */
export const auditPrune = (context: CliContext): Command =>
  makeCommand(
    context,
    {
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
    },
    ({ before }: { before: string }) =>
      withPortsOfOwner(context, async ({ erasure }) => {
        const { OPERATOR } = await import('@chapter/domain');
        const removed = await asOwner(() => erasure.pruneAudit(OPERATOR, before));
        return { value: { before, removed }, text: `Removed ${formatCount(removed, 'entry')} before ${before}.\n` };
      }),
  );
