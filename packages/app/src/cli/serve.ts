import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import type { CliContext } from './context.ts';

/** `serve`: what `npm start` runs. */
export const serve = ({ variables }: CliContext): Command =>
  new Command('serve')
    .description('serve the API; what "npm start" runs')
    .action(async (_: unknown, command: Command) => {
      // Its standard output is the log, which is more than one value.
      if (command.optsWithGlobals<{ json?: boolean }>().json) command.error("error: unknown option '--json'");
      const config = readConfig(variables);
      const { runService } = await import('../serve/run.ts');
      await runService(config);
    });
