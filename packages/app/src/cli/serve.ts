import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import type { CliContext } from './context.ts';

/** Makes the `serve` command, which `npm start` runs. */
export const serve = ({ variables }: CliContext): Command =>
  new Command('serve')
    .description('start the API server, as "npm start" does')
    .action(async (_: unknown, command: Command) => {
      // Standard output is the log, which is not one JSON value.
      if (command.optsWithGlobals<{ json?: boolean }>().json) command.error("error: unknown option '--json'");
      const config = readConfig(variables);
      const { runService } = await import('../serve/run.ts');
      await runService(config);
    });
