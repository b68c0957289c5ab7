// Checks the imports of all modules against the rules in .dependency-cruiser.mjs.
import { checkDependencies } from '../test-support/check-dependencies.ts';

const { cruised, violations } = await checkDependencies(process.cwd());
for (const violation of violations) console.error(violation);
// Without a compiler that it can load, dependency-cruiser ignores TypeScript and reports success.
if (cruised === 0) console.error('No module was checked.');
if (cruised === 0 || violations.length > 0) process.exitCode = 1;
