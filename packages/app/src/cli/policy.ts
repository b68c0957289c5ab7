import type { Command } from 'commander';
import { snakeCased } from '../text/snake-case.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { policyExplain } from './policy-explain.ts';
import { policyWhoCan } from './policy-who-can.ts';

/** Makes the `policy` command, which prints the access table. */
export const policyCommand = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'policy',
      description: 'show the access table, generated from the policy rules',
      examples: [
        ['policy', 'Show the access table'],
        ['policy explain --as leader --action updateUser --user guest', 'Show one decision and the rule that made it'],
      ],
    },
    async () => {
      const { describePolicy, policyTable } = await import('@chapter/domain');
      const described = describePolicy();
      return { value: snakeCased(described), text: policyTable(described) };
    },
  )
    .addCommand(policyExplain(context))
    .addCommand(policyWhoCan(context));
