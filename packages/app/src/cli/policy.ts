import type { Command } from 'commander';
import { snakeCased } from '../text/snake-case.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { policyExplain } from './policy-explain.ts';

/** `policy`: who may do what, from the rules themselves. */
export const policy = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'policy',
      description: 'show who may do what, from the rules themselves',
      examples: [
        ['policy', 'The access table'],
        ['policy explain --as leader --action updateUser --user guest', 'One decision, and the rule that made it'],
      ],
    },
    async () => {
      const { describePolicy, policyTable } = await import('@chapter/domain');
      const described = describePolicy();
      return { value: snakeCased(described), text: policyTable(described) };
    },
  ).addCommand(policyExplain(context));
