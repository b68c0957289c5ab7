import { enableCompileCache } from 'node:module';

// The compile cache only covers modules that are imported after it is enabled.
enableCompileCache();
const [{ readConfig }, { OperatorError }, { runService }] = await Promise.all([
  import('./config/config.ts'),
  import('./errors/operator-error.ts'),
  import('./serve/run.ts'),
]);

try {
  await runService(readConfig(process.env));
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
