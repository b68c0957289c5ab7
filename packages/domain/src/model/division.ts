import type { Revision } from './revision.ts';

/** Identifier of a division: a UUID (version 7) in lower case. */
export type DivisionId = string;

/** A division of the chapter. Field rules are in {@link divisionRules}. See contract §4. */
export interface Division {
  readonly id: DivisionId;
  /** 1 to 150 code points, unique regardless of case. */
  readonly name: string;
  /** An http or https URL, or null. */
  readonly logo: string | null;
  /** An http or https URL, or null. */
  readonly fanpage: string | null;
  /** Changes with every change of the division. */
  readonly revision: Revision;
}

/** The part of a division that is shown with its users. */
export type DivisionReference = Pick<Division, 'id' | 'name'>;
