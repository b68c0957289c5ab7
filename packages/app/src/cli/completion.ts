import type { Command } from 'commander';
import type { Shell } from './completion-script.ts';
import type { CliContext } from './context.ts';
import { makeCommand, makeCommandGroup } from './make-command.ts';

const forShell = (context: CliContext, program: () => Command, shell: Shell): Command =>
  makeCommand(
    context,
    {
      name: shell,
      description: `print a script that completes commands and options in ${shell}`,
      examples: [[`completion ${shell}`, `Enable it with: eval "$(chapter completion ${shell})"`]],
    },
    async () => {
      const { completionScript } = await import('./completion-script.ts');
      const script = completionScript(program(), shell);
      return { value: { shell, script }, text: script };
    },
  ).addHelpText(
    'after',
    '\nFrom the folder of the repository, without an installed program, define it first:\n  chapter() { npm run --silent chapter -- "$@"; }',
  );

/** `completion`: scripts for shells, made from the commands and options of `program`. Contract §10. */
export const completion = (context: CliContext, program: () => Command): Command =>
  makeCommandGroup('completion', 'print a completion script for a shell', [
    forShell(context, program, 'bash'),
    forShell(context, program, 'zsh'),
  ]);
