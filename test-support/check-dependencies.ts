import { existsSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import rules from '../.dependency-cruiser.mjs';

const roots = ['packages', 'bench', 'examples', 'scripts', 'test', 'test-support'];

/** Returns the imports below `baseDir` that break a rule, one line each, and the number of checked modules. */
export const checkDependencies = async (baseDir: string): Promise<{ cruised: number; violations: string[] }> => {
  const { forbidden = [], options } = rules;
  const present = roots.filter((root) => existsSync(`${baseDir}/${root}`));
  const { output } = await cruise(present, { ...options, baseDir, validate: true, ruleSet: { forbidden } });
  const { summary } = output as ICruiseResult;
  return {
    cruised: summary.totalCruised,
    violations: summary.violations.map(({ from, rule, to }) => `${rule.name}: ${from} → ${to}`),
  };
};
