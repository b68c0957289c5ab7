import { createHash } from 'node:crypto';
import type { Statement } from '../statement.ts';

/** How many shapes of queries get a name. Each costs every connection memory for as long as it lives. */
const NAMED_SHAPES = 100;

const numbered = (text: string): string => {
  let count = 0;
  return text.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
};

/** Gives the statement for a text with a `?` for each value. */
export type StatementOf = (text: string, isNamed: boolean) => Statement;

/** Statements by the shape of their query, each made once; named from their second use on, as long as there is room. */
export const makeShapes = (): StatementOf => {
  const shapes = new Map<string, Required<Statement>>();
  return (text, isNamed) => {
    const known = shapes.get(text);
    if (known) return isNamed ? known : { text: known.text };
    const digest = createHash('sha256').update(text).digest('hex');
    const shape = { text: numbered(text), name: `list-${digest.slice(0, 32)}` };
    if (shapes.size < NAMED_SHAPES) shapes.set(text, shape);
    return { text: shape.text };
  };
};
