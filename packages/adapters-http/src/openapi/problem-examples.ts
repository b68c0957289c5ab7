import {
  type FieldFault,
  fieldForbidden,
  forbidden,
  idempotencyConflict,
  invalidCredentials,
  invalidToken,
  lastLeader,
  notFound,
  preconditionFailed,
  rateLimited,
  taken,
  unavailable,
  validationFailed,
} from '@chapter/domain';
import { bodyTooLarge, malformedJson, unsupportedMediaType } from '../errors/http-error.ts';
import { problemOf } from '../errors/problem.ts';
import type { OperationCode } from '../errors/problem-codes.ts';
import { bearerToken } from '../requests/headers.ts';
import { BODY_LIMIT } from '../requests/read-json.ts';
import type { Json } from './components.ts';

/** The example of a request id. */
const EXAMPLE_REQUEST_ID = '7d9f3b0e-5c1a-4f7e-9c55-2f0f6a1f8a44';

const faults: readonly FieldFault[] = [{ field: 'username', code: 'required', detail: 'is required' }];
const forbiddenFaults: readonly FieldFault[] = [
  { field: 'groups', code: 'field_forbidden', detail: 'may be written only by a Leader of the division' },
];

const thrownBy = (attempt: () => unknown): unknown => {
  try {
    return attempt();
  } catch (error) {
    return error;
  }
};

const errors: Readonly<Record<OperationCode, unknown>> = {
  malformed_json: malformedJson(),
  authentication_required: thrownBy(() => bearerToken(undefined)),
  invalid_credentials: invalidCredentials(),
  invalid_token: invalidToken(),
  field_forbidden: fieldForbidden(forbiddenFaults),
  forbidden: forbidden('only a Leader of the division may do this'),
  not_found: notFound(),
  email_taken: taken('email'),
  idempotency_conflict: idempotencyConflict(),
  last_leader: lastLeader(),
  name_taken: taken('name'),
  username_taken: taken('username'),
  precondition_failed: preconditionFailed(),
  body_too_large: bodyTooLarge(BODY_LIMIT),
  unsupported_media_type: unsupportedMediaType('the body must be application/json in UTF-8'),
  validation_failed: validationFailed(faults),
  rate_limited: rateLimited(840),
  internal_error: undefined,
  unavailable: unavailable(),
};

/** An example problem for each code, made by the same functions as in the service. */
export const problemExamples: Readonly<Record<string, { readonly value: Json }>> = Object.fromEntries(
  Object.entries(errors).map(([code, error]) => {
    const value = JSON.parse(problemOf(error, EXAMPLE_REQUEST_ID).body) as Json;
    return [code, { value }];
  }),
);
