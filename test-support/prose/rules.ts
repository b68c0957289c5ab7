import type { Passage } from './passages.ts';

const MAX_SENTENCE_WORDS = 40;

/** Words and phrases that the texts of the product must not contain, and what to write instead. */
const BANNED: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  {
    pattern: /\b(?:nobody|somebody|everybody|anybody|whoever|whatever|whom|whence)\b/i,
    advice: 'name the thing that acts: the caller, the client, the operator, no one',
  },
  { pattern: /\bas it is\b/i, advice: 'write "unchanged" or say how it is' },
  { pattern: /\bso many\b/i, advice: 'name the number or the limit' },
  { pattern: /\banswers\b/i, advice: 'write "returns" or "responses"' },
];

const sentencesOf = (text: string): readonly string[] => text.split(/[.!?]["')\]]?\s+/);

const wordsIn = (sentence: string): number => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** Returns how a passage breaks the rules for texts in CONTRIBUTING.md. */
export const faultsIn = ({ text, hasSentences }: Passage): readonly string[] => [
  ...BANNED.flatMap(({ pattern, advice }) => {
    const [found] = pattern.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}": ${advice}`];
  }),
  ...(hasSentences ? sentencesOf(text) : [])
    .filter((sentence) => wordsIn(sentence) > MAX_SENTENCE_WORDS)
    .map((sentence) => `a sentence of ${wordsIn(sentence)} words: "${sentence.slice(0, 60)}…"`),
];
