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

/**
 * Statements for texts with a `?` for each value. Each shape is made once, and named from its second use on, as long as
 * there is room: others are planned each time.
 */
export const makeShapes = (): ((text: string) => Statement) => {
  const shapes = new Map<string, Statement>();
  return (text) => {
    const known = shapes.get(text);
    if (known) return known;
    const shape = { text: numbered(text) };
    if (shapes.size === NAMED_SHAPES) return shape;
    const digest = createHash('sha256').update(text).digest('hex');
    shapes.set(text, { ...shape, name: `list-${digest.slice(0, 32)}` });
    return shape;
  };
};
