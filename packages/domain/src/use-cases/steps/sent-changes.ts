import type { SentFields } from '../../fields/field-check.ts';
import type { FieldFault } from '../../model/errors.ts';
import type { Revision } from '../../model/revision.ts';

/** What a caller asks to be written, before anything of it was checked. */
export interface SentRequest {
  readonly fields: SentFields;
  /** What an adapter's own schema found wrong; reported together with everything else. */
  readonly faults?: readonly FieldFault[];
}

/** A user to create; a key makes sure that it happens once. */
export interface SentCreation extends SentRequest {
  /** 1 to 255 visible ASCII characters, chosen by the caller. */
  readonly idempotencyKey?: string | undefined;
}

/** A change, and the state of the target that it is meant for. */
export interface SentChanges extends SentRequest {
  /** Any of these must be the target's; absent when any state will do. */
  readonly revisions?: readonly Revision[] | undefined;
}
