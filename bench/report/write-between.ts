import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes a text into a document, in place of what stands between `<!-- command -->` and the next `<!-- end -->`.
 *
 * @throws Error where the document has no such place.
 */
export const writeBetween = (document: string, command: string, text: string): void => {
  const before = readFileSync(document, 'utf8');
  const mark = `<!-- ${command} -->`;
  const begin = before.indexOf(mark);
  const end = before.indexOf('\n<!-- end -->', begin);
  if (begin < 0 || end < 0) throw new Error(`${document} has no place for what ${command} finds`);
  writeFileSync(document, `${before.slice(0, begin)}${mark}\n\n${text}\n${before.slice(end)}`);
};

/**
 * Writes a document anew. What other commands have written into it stays: all from the line `heading` on.
 */
export const writeBefore = (document: string, heading: string, text: string): void => {
  const before = existsSync(document) ? readFileSync(document, 'utf8') : '';
  const at = before.indexOf(`\n${heading}\n`);
  writeFileSync(document, at < 0 ? text : `${text}${before.slice(at)}`);
};
