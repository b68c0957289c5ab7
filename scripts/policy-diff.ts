// `npm run policy:diff -- COMMIT [COMMIT]`: prints who gains and who loses what by the change of the policy from a commit to another
// one, or to this folder.
import * as domain from '../packages/domain/src/index.ts';
import { decisionDiff, type Example, fieldRows } from '../packages/domain/src/testing/index.ts';
import { hasCommit, loadDomain } from '../test-support/release.ts';

const { row, targetTypes } = domain;

/** A row of a commit's policy. Those of release 0.1.0 have `knows` for `canSee`, and no attributes. */
interface CommittedRow {
  readonly allows: domain.AnyRule;
  readonly canSee?: domain.AnyRule;
  readonly knows?: domain.AnyRule;
  readonly readTarget?: { readonly attributes?: domain.Attributes };
}

/** What the domain of a commit exports. */
interface CommittedDomain {
  readonly policy?: Readonly<Record<string, CommittedRow>>;
  readonly fieldRights?: domain.FieldRights;
  readonly operatorFields?: readonly string[];
  readonly targetTypes?: Pick<typeof targetTypes, 'user'>;
}

const asRow = ([action, committed]: readonly [string, CommittedRow]): readonly [string, object] => {
  const { allows, canSee, knows = canSee, readTarget } = committed;
  if (readTarget?.attributes) return [action, committed];
  const { attributes } = (domain.policy as domain.Policy)[action]?.readTarget ?? targetTypes.user;
  return [action, row(allows as never, knows as never, { attributes, read: () => null })];
};

/** Returns the rows of a commit's policy and of its rights of fields. */
const policyOf = async (commit: string | undefined): Promise<domain.Policy> => {
  if (commit !== undefined && !hasCommit(commit)) {
    throw new Error(`this clone has no commit ${commit}; git fetch --depth 1 origin ${commit} gets it`);
  }
  const committed = (commit === undefined ? domain : await loadDomain(commit)) as CommittedDomain;
  const { policy: rows, fieldRights: rights, operatorFields, targetTypes: { user } = targetTypes } = committed;
  if (!rows || !rights) throw new Error(`the domain of commit ${commit} exports no policy with rights of fields`);
  const actions = Object.fromEntries(Object.entries(rows).map(asRow)) as domain.Policy;
  return { ...actions, ...fieldRows(user, rights, operatorFields) };
};

/** Prints whose rights a difference changes: those of a user who learns of the target gains sight of it. */
const format = ({ action, outcomes: [before, after], who, code }: Example): string => {
  const isGain = after === 'allowed' || (before === 'not_found' && after === 'forbidden');
  const right = [before, after].includes('allowed') ? '' : 'sight of the target of ';
  const line = `${isGain ? 'gains' : 'loses'} ${right}${action}: ${who} (${before} → ${after})`;
  return [line, ...code.split('\n').map((part) => `  ${part}`), ''].join('\n');
};

const run = async (before: string | undefined, after: string | undefined): Promise<void> => {
  if (before === undefined) throw new Error('name a commit: npm run policy:diff -- COMMIT [COMMIT]');
  const policies = [await policyOf(before), await policyOf(after)] as const;
  const started = performance.now();
  const differences = decisionDiff(...policies);
  const count = `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`;
  for (const one of differences) console.log(format(one));
  console.log(
    `${count} between the policies of ${before} and ${after ?? 'this folder'}, found in ${Math.round(performance.now() - started)} ms`,
  );
};

const [before, after] = process.argv.slice(2);
try {
  await run(before, after);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
