import { ConfigError } from './config/config-error.ts';
import { readConfig } from './config.ts';
import { OperatorError } from './operator-error.ts';
import { runService } from './serve/run.ts';

try {
  await runService(readConfig(process.env));
} catch (error) {
  if (!(error instanceof OperatorError || error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
