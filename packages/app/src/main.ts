import { enableCompileCache } from 'node:module';

// The compile cache only covers modules that are imported after it is enabled.
enableCompileCache();
const [{ ConfigError }, { readConfig }, { OperatorError }, { runService }] = await Promise.all([
  import('./config/config-error.ts'),
  import('./config/config.ts'),
  import('./errors/operator-error.ts'),
  import('./serve/run.ts'),
]);

try {
  await runService(readConfig(process.env));
} catch (error) {
  if (!(error instanceof OperatorError || error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
