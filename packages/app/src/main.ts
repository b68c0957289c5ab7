import { enableCompileCache } from 'node:module';

// Half of a start's time is compiling what is imported, so that is imported once the cache is there.
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
