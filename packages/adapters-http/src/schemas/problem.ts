import { FAULT_CODES } from '@chapter/domain/api';
import { Type } from 'typebox';
import { MAX_FAULTS, MAX_SHOWN_NAME } from '../errors/faults.ts';
import { PROBLEM_STATUS, type ProblemCode } from '../errors/problem-codes.ts';
import { freeText, objectSchema } from './fields.ts';

/** A fault of one field, parameter or header (contract §2). */
export const FieldFault = objectSchema({
  field: Type.String({
    description: `The field, parameter or header, truncated to ${MAX_SHOWN_NAME} characters; empty for the whole request.`,
    maxLength: MAX_SHOWN_NAME,
    examples: ['username'],
  }),
  code: Type.Enum([...FAULT_CODES], { type: 'string', examples: ['required'] }),
  detail: freeText('is required'),
});

/** An error response. RFC 9457; contract §2. */
export const Problem = objectSchema({
  type: Type.Literal('about:blank'),
  title: freeText('Unprocessable Entity'),
  status: Type.Integer({ examples: [422] }),
  detail: freeText('the request contains invalid fields or parameters', 'The reason, for human readers.'),
  code: Type.Enum(Object.keys(PROBLEM_STATUS) as ProblemCode[], {
    type: 'string',
    description: 'A stable name for programs.',
    examples: ['validation_failed'],
  }),
  request_id: freeText('7d9f3b0e-5c1a-4f7e-9c55-2f0f6a1f8a44', 'The id of the request in the logs.'),
  trace_id: Type.Optional(
    Type.String({
      description: 'The id of the trace of the request, if the service traces it.',
      pattern: '^[0-9a-f]{32}$',
      examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
    }),
  ),
  errors: Type.Optional(
    Type.Array(FieldFault, {
      description: `All faults of the request, but at most ${MAX_FAULTS}.`,
      maxItems: MAX_FAULTS,
      examples: [[{ field: 'username', code: 'required', detail: 'is required' }]],
    }),
  ),
});
