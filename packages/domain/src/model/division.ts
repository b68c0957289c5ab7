import type { Revision } from './revision.ts';

/** Identifier of a division: a UUID (version 7) in lower case. */
export type DivisionId = string;

/** A division of the chapter. Specification, section 2; field rules in {@link divisionRules}. */
export interface Division {
  readonly id: DivisionId;
  /** 1 to 150 code points, unique without regard to case. */
  readonly name: string;
  /** An http or https URL, or null where there is none. */
  readonly logo: string | null;
  /** An http or https URL, or null where there is none. */
  readonly fanpage: string | null;
  /** Changes with every change of the division. */
  readonly revision: Revision;
}

/** The part of a division that its users show. */
export type DivisionReference = Pick<Division, 'id' | 'name'>;
