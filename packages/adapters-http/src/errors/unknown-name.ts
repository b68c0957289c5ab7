import { nearest } from '../names/index.ts';
import { shownName } from './fault-limits.ts';

/** Describes an unknown name and suggests the nearest known one: "unknown parameter `emial`; did you mean `email`?". */
export const unknownName = (kind: 'parameter' | 'field', name: string, known: Iterable<string>): string => {
  const suggestion = nearest(name, known);
  const shown = shownName(name);
  return suggestion === undefined
    ? `unknown ${kind} \`${shown}\``
    : `unknown ${kind} \`${shown}\`; did you mean \`${suggestion}\`?`;
};
