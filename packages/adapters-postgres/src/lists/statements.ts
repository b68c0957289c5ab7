import { createHash } from 'node:crypto';
import type { Statement } from '../connection/statement.ts';
import type { Asked, Fragment } from './fragment.ts';

/** How many statements get a name; a shape has up to five. Each costs every connection memory for as long as it lives. */
const NAMED = 100;

/** How a statement is run: whether it is prepared by name, and whether others may wait behind it. */
export type Manner = Pick<Statement, 'isBrief'> & { readonly isNamed: boolean };

/** A statement with where its values come from. */
export interface Compiled {
  readonly statement: Statement;
  readonly valuesOf: (asked: Asked) => readonly unknown[];
}

const numbered = (text: string): string => {
  let count = 0;
  return text.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
};

/**
 * Statements by what they are made of, each made once and prepared by name, as long as there is room. More shapes than
 * that are made and planned each time: nobody can fill the server's memory with ever new ones.
 */
export const makeStatements = (room = NAMED) => {
  const known = new Map<string, Compiled>();
  return (key: string, { isNamed, isBrief = false }: Manner, make: () => Fragment): Compiled => {
    const found = known.get(key);
    if (found) return found;
    const { text, values } = make();
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
    const hasName = isNamed && known.size < room;
    const compiled: Compiled = {
      statement: { text: numbered(text), isBrief, ...(hasName ? { name: `list-${digest}` } : {}) },
      valuesOf: (asked) => values.map((valueOf) => valueOf(asked)),
    };
    if (known.size < room) known.set(key, compiled);
    return compiled;
  };
};
