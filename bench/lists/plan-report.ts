import type { Kind } from './kinds.ts';
import { transgressions } from './limits.ts';
import type { Subject } from './measure.ts';
import { type Explained, explainKind, stepsOf } from './plans.ts';

const formOf = ({ plan }: Explained): string =>
  stepsOf(plan)
    .map((step) => `${step['Node Type']} ${step['Index Name'] ?? ''}`)
    .join();

const buffersOf = ({ plan }: Explained): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

const block = (explained: readonly Explained[]): string =>
  explained.map(({ text }) => `\`\`\`text\n${text}\n\`\`\``).join('\n\n');

const isSame = (one: readonly Explained[], other: readonly Explained[]): boolean =>
  one.map(formOf).join(';') === other.map(formOf).join(';');

const about = (kind: Kind): string => `\`${kind.query}\`${kind.about && `, ${kind.about}`}`;

const details = (summary: string, text: string): string =>
  `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`;

/** What each kind of page does more than it is allowed to, planned for the values and for all. */
const transgressionsOf = async ({ pool, kinds }: Subject): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
    for (const kind of kinds) {
      const broken = transgressions(kind, await explainKind(pool, kind, mode));
      found.push(...broken.map((limit) => `- ${about(kind)}, ${mode}: ${limit}`));
    }
  }
  return found;
};

const limitsOf = async (one: Subject, many: Subject): Promise<string> => {
  const broken = [...(await transgressionsOf(one)), ...(await transgressionsOf(many))];
  const count = one.kinds.length + many.kinds.length;
  return broken.length === 0
    ? `All ${count} keep to the limits of rows read and sorted (\`bench/lists/limits.ts\`), planned for the values and for all values.`
    : `Beyond the limits of rows read and sorted (\`bench/lists/limits.ts\`):\n\n${broken.join('\n')}`;
};

/** Of all kinds of pages in two databases, in Markdown: what goes beyond limits; the plans, the second one's only where they differ. */
export const planReport = async (
  one: Subject,
  many: Subject,
): Promise<{ readonly limits: string; readonly plans: string }> => {
  const sections: string[] = [];
  for (const [at, kind] of many.kinds.entries()) {
    const inMany = await explainKind(many.pool, kind, 'force_generic_plan');
    const same = one.kinds[at];
    const inOne = same ? await explainKind(one.pool, same, 'force_generic_plan') : [];
    const pages = `${inMany.map((explained) => buffersOf(explained).toLocaleString('en')).join(' and ')} pages of memory`;
    const other = isSame(inOne, inMany)
      ? `With a hundred in each division: the same steps, ${pages}.`
      : details('With a hundred in each division', block(inMany));
    sections.push(`### ${about(kind)}`);
    if (same) sections.push(details('All in one division', block(inOne)));
    sections.push(other);
  }
  return { limits: await limitsOf(one, many), plans: sections.join('\n\n') };
};
