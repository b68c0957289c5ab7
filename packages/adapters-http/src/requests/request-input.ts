import { type FieldFault, type SentChanges, validationFailed } from '@chapter/domain';
import type { TObject } from 'typebox';
import type { MarkedQuery } from '../lists/cursor.ts';
import type { List } from '../lists/list-parameters.ts';
import { refuseParameters } from '../lists/query-string.ts';
import type { Context } from '../server/http-context.ts';
import { type BodyDescription, type CheckedBody, makeBodyCheck } from './check-body.ts';
import { revisionsOf } from './etag.ts';
import { header } from './header.ts';
import { IDEMPOTENCY_KEY, idempotencyKeyFaults } from './idempotency-key.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE } from './media-type.ts';
import { readJson } from './read-json.ts';

/** What a request may carry beyond its target: how it is read, and how the OpenAPI document shows it. */
export interface Asks<T> {
  /** `key` tells the list of this request from all others. @throws DomainError, HttpError for what may not be sent. */
  readonly read: (ctx: Context, key: string) => T | Promise<T>;
  readonly body?: { readonly schema: TObject; readonly mediaTypes: readonly string[] };
  readonly headers?: readonly ('If-Match' | typeof IDEMPOTENCY_KEY)[];
  readonly list?: List<string>;
}

/** The request line, the target and the token are all there is. */
export const nothing: Asks<void> = {
  read: (ctx) => refuse(refuseParameters(ctx.querystring)),
};

const refuse = (faults: readonly FieldFault[]): void => {
  if (faults.length > 0) throw validationFailed(faults);
};

const makeBodyReader = (description: BodyDescription, mediaTypes: readonly string[]) => {
  const check = makeBodyCheck(description);
  return async (ctx: Context): Promise<CheckedBody> => {
    const { value, duplicates } = await readJson(ctx, mediaTypes);
    const { fields, faults } = check(value, duplicates);
    return { fields, faults: [...refuseParameters(ctx.querystring), ...faults] };
  };
};

/** A body that HTTP alone checks: all of its fields, under their names in the domain. */
export const bodyOf = <T>(schema: TObject): Asks<T> => {
  const mediaTypes = [JSON_TYPE];
  const read = makeBodyReader({ schema }, mediaTypes);
  return {
    body: { schema, mediaTypes },
    read: async (ctx) => {
      const { fields, faults } = await read(ctx);
      refuse(faults);
      return fields as T;
    },
  };
};

/** A body that creates something, once under an `Idempotency-Key`. Contract, section 7. */
export const creationOf = (
  description: BodyDescription,
): Asks<CheckedBody & { idempotencyKey: string | undefined }> => {
  const mediaTypes = [JSON_TYPE];
  const read = makeBodyReader(description, mediaTypes);
  return {
    body: { schema: description.schema, mediaTypes },
    headers: [IDEMPOTENCY_KEY],
    read: async (ctx) => {
      const idempotencyKey = header(ctx.req, 'idempotency-key');
      const { fields, faults } = await read(ctx);
      return { fields, faults: [...idempotencyKeyFaults(idempotencyKey), ...faults], idempotencyKey };
    },
  };
};

/** A body that changes something, in the state that an `If-Match` names. */
export const changesOf = (description: BodyDescription): Asks<SentChanges> => {
  const mediaTypes = [JSON_TYPE, MERGE_PATCH_TYPE];
  const read = makeBodyReader(description, mediaTypes);
  return {
    body: { schema: description.schema, mediaTypes },
    headers: ['If-Match'],
    read: async (ctx) => ({ ...(await read(ctx)), revisions: revisionsOf(header(ctx.req, 'if-match')) }),
  };
};

/** No body, but the state that an `If-Match` names. */
export const precondition: Asks<Pick<SentChanges, 'revisions'>> = {
  headers: ['If-Match'],
  read: (ctx) => {
    refuse(refuseParameters(ctx.querystring));
    return { revisions: revisionsOf(header(ctx.req, 'if-match')) };
  },
};

/** The parameters of a list. */
export const queryOf = <Field extends string>(list: List<Field>): Asks<MarkedQuery<Field>> => ({
  list,
  read: (ctx, key) => list.read(ctx.querystring, key),
});
