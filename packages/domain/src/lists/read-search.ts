import { type Checked, fault, normalizationFault } from '../fields/field-check.ts';
import { codePointLength, foldCase, isVisibleText } from '../model/text.ts';
import { listRules } from './list-query.ts';

/** Returns the words of a search, folded and without duplicates, or the fault of the text. See contract §5. */
export const readSearch = (sent: string): Checked<readonly string[]> => {
  const { maxSearchLength, maxWords } = listRules;
  const unsafe = normalizationFault(sent, maxSearchLength);
  if (unsafe) return unsafe;
  const text = sent.normalize('NFC');
  if (codePointLength(text) > maxSearchLength) {
    return fault('too_long', `must have at most ${maxSearchLength} characters`);
  }
  const words = text.split(/\s+/u).filter((word) => word !== '');
  if (!words.every(isVisibleText)) return fault('invalid_format', 'contains a control or invisible character');
  if (words.length > maxWords) return fault('too_long', `must have at most ${maxWords} words`);
  return { value: [...new Set(words.map(foldCase))] };
};
