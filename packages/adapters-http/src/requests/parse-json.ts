import { visit } from 'jsonc-parser';
import { MAX_FAULTS } from '../errors/fault-limits.ts';
import { malformedJson } from '../errors/http-error.ts';

/** How many arrays and objects may enclose each other: `[{}]` has two levels. Contract, section 1. */
const MAX_DEPTH = 32;

/** What is wrong with the names of top-level members, by the member. A name in a member's value counts as its own. */
export type DuplicateNames = ReadonlyMap<string, string>;

/** JSON text as it was read. */
export interface ParsedJson {
  readonly value: unknown;
  /** At most 50, which is how many faults a problem has. */
  readonly duplicates: DuplicateNames;
}

// JSON.parse reports neither depth nor duplicate names. The visitor descends by recursion, so it stops by a throw.
const findDuplicates = (text: string): DuplicateNames => {
  const enclosing: Set<string>[] = [];
  const duplicates = new Map<string, string>();
  let member = '';
  const enter = (): void => {
    if (enclosing.push(new Set()) > MAX_DEPTH) {
      throw malformedJson(`the body is nested more than ${MAX_DEPTH} levels deep`);
    }
  };
  const leave = (): void => void enclosing.pop();
  visit(text, {
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectBegin: enter,
    onObjectEnd: leave,
    onObjectProperty: (name) => {
      const isMember = enclosing.length === 1;
      if (isMember) member = name;
      const names = enclosing.at(-1);
      if (names?.has(name) && !duplicates.has(member) && duplicates.size < MAX_FAULTS) {
        duplicates.set(member, isMember ? 'is given twice' : 'has a name that is given twice');
      }
      names?.add(name);
    },
  });
  return duplicates;
};

/**
 * Parses JSON and finds duplicate names.
 *
 * @throws HttpError `malformed_json` for text that is not RFC 8259, or nested more than 32 levels deep.
 */
export const parseJson = (text: string): ParsedJson => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformedJson();
  }
  return { value, duplicates: findDuplicates(text) };
};
