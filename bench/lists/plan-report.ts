import type { Kind } from './kinds.ts';
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

/** The plans of all kinds of pages in two databases, in Markdown. The second one's only where they differ. */
export const planReport = async (one: Subject, many: Subject): Promise<string> => {
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
  return sections.join('\n\n');
};
