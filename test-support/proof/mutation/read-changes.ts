import { readFileSync } from 'node:fs';

/** A change of a source text that a file lists. */
interface ListedChange {
  /** The values of the line above the change. */
  readonly head: readonly string[];
  readonly from: string;
  /** Empty if the change removes the text. */
  readonly to: string;
}

/** Returns the changes that a text file in this folder lists, in a format that its first lines describe. */
export const readChanges = (file: string): readonly ListedChange[] => {
  const text = readFileSync(`test-support/proof/mutation/${file}`, 'utf8');
  const [, ...groups] = text.split(/\n\n(?=\S+ \| )/);
  return groups.flatMap((group) => {
    const [head = '', ...lines] = group.trimEnd().split('\n');
    return lines.map((line) => {
      const [from = '', to = ''] = line.slice(2).split(' → ');
      return { head: head.split(' | '), from, to };
    });
  });
};
