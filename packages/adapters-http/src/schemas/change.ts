import { AUDIT_ACTIONS } from '@chapter/domain/api';
import { Type } from 'typebox';
import { freeText, Instant, nullableSchema, objectSchema, UserId } from './fields.ts';

const exampleCursor = 'MDE5YWE3YzItN2YzMS03YzZlLThhNDQtM2Y2ZDFkMGI1ZTAxIDc';

/** A change in the history of a division, as its Leaders see it (contract §7). */
const Change = objectSchema({
  id: Type.String({ format: 'uuid', examples: ['019aa7c5-1c0d-7a52-8f0e-2b6b9c3d7f10'] }),
  at: Instant,
  action: Type.Enum([...AUDIT_ACTIONS], { type: 'string', examples: ['updateUser'] }),
  author: objectSchema({
    id: nullableSchema(Type.String({ ...UserId, description: 'Null for the operator at the command line.' })),
    name: freeText('ada', 'The name at the time of the change.'),
  }),
  target: objectSchema({
    type: Type.Enum(['user', 'division'], { type: 'string', examples: ['user'] }),
    id: UserId,
    name: nullableSchema(freeText('grace', 'The present name; null if it is not in the division any more.')),
  }),
  changes: Type.Record(Type.String(), objectSchema({ old: Type.Unknown(), new: Type.Unknown() }), {
    description: 'The changed fields with the values before and after, as far as you may read them.',
    examples: [{ first_name: { old: '', new: 'Grace' } }],
  }),
});

/** A page of the history of a division. */
export const ChangePage = objectSchema({
  results: Type.Array(Change),
  next: nullableSchema(
    freeText(
      `/api/changes/?cursor=${exampleCursor}`,
      'Relative reference of the next page, or null if there are no more changes now.',
    ),
  ),
  after: freeText(
    exampleCursor,
    'Send it as the parameter `after` to get what follows. Empty while no change is settled yet; it then leads to the oldest.',
  ),
});
