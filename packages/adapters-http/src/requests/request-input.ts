import { type FieldFault, type SentChanges, validationFailed } from '@chapter/domain';
import type { Static, TObject } from 'typebox';
import type { WithDomainNames } from '../errors/wire-names.ts';
import type { MarkedQuery } from '../lists/cursor.ts';
import type { ListParameters } from '../lists/list-parameters.ts';
import { refuseParameters } from '../lists/query-string.ts';
import { type BodyDescription, type CheckedBody, makeBodyCheck } from './check-body.ts';
import { header, IDEMPOTENCY_KEY, idempotencyKeyFaults, revisionsOf } from './headers.ts';
import { type BodySource, JSON_TYPE, MERGE_PATCH_TYPE, readJson } from './read-json.ts';

/** The parts of a request that input is read from. */
interface InputSource extends BodySource {
  readonly queryString: string;
  /** Tells a list from all others, with the target in its path: cursors of one list mean nothing in another. */
  readonly listKey: string;
}

/** What a request may carry beyond its target and token: how it is read, and how the OpenAPI document shows it. */
export interface RequestInput<T> {
  /** @throws DomainError, HttpError for input that may not be sent. */
  readonly read: (source: InputSource) => T | Promise<T>;
  readonly body?: { readonly schema: TObject; readonly mediaTypes: readonly string[]; readonly example: unknown };
  readonly headers?: readonly ('If-Match' | typeof IDEMPOTENCY_KEY)[];
  readonly list?: ListParameters<string>;
}

/** A body as the input functions take it: what it may have, and an example for the OpenAPI document. */
type DocumentedBody<Schema extends TObject> = Pick<BodyDescription, 'readOnly'> & {
  readonly schema: Schema;
  readonly example: Static<Schema>;
};

const parameterFaults = (queryString: string): readonly FieldFault[] =>
  queryString === '' ? [] : refuseParameters(queryString);

const refuse = (faults: readonly FieldFault[]): void => {
  if (faults.length > 0) throw validationFailed(faults);
};

/** Refuses query parameters. @throws DomainError `validation_failed`. */
export const requireNoParameters = (queryString: string): void => refuse(parameterFaults(queryString));

/** No input. */
export const noInput: RequestInput<void> = { read: ({ queryString }) => requireNoParameters(queryString) };

const makeBodyReader = (description: BodyDescription, mediaTypes: readonly string[]) => {
  const check = makeBodyCheck(description);
  return async (source: InputSource): Promise<CheckedBody> => {
    const { value, duplicates } = await readJson(source, mediaTypes);
    const { fields, faults } = check(value, duplicates);
    return { fields, faults: [...parameterFaults(source.queryString), ...faults] };
  };
};

/** A body that HTTP alone checks: all of its fields, under their names in the domain. */
export const bodyInput = <Schema extends TObject>({
  schema,
  example,
}: DocumentedBody<Schema>): RequestInput<WithDomainNames<Static<Schema>>> => {
  const mediaTypes = [JSON_TYPE];
  const read = makeBodyReader({ schema }, mediaTypes);
  return {
    body: { schema, mediaTypes, example },
    read: async (source) => {
      const { fields, faults } = await read(source);
      refuse(faults);
      return fields as WithDomainNames<Static<Schema>>;
    },
  };
};

/** A body that creates something, once under an `Idempotency-Key`. Contract, section 7. */
export const creationInput = <Schema extends TObject>({
  example,
  ...description
}: DocumentedBody<Schema>): RequestInput<CheckedBody & { idempotencyKey: string | undefined }> => {
  const mediaTypes = [JSON_TYPE];
  const read = makeBodyReader(description, mediaTypes);
  return {
    body: { schema: description.schema, mediaTypes, example },
    headers: [IDEMPOTENCY_KEY],
    read: async (source) => {
      const idempotencyKey = header(source.message, 'idempotency-key');
      const { fields, faults } = await read(source);
      return { fields, faults: [...idempotencyKeyFaults(idempotencyKey), ...faults], idempotencyKey };
    },
  };
};

const revisionsIn = ({ message }: InputSource) => revisionsOf(header(message, 'if-match'));

/** A body that changes something, in the state that an `If-Match` names. */
export const changesInput = <Schema extends TObject>({
  example,
  ...description
}: DocumentedBody<Schema>): RequestInput<SentChanges> => {
  const mediaTypes = [JSON_TYPE, MERGE_PATCH_TYPE];
  const read = makeBodyReader(description, mediaTypes);
  return {
    body: { schema: description.schema, mediaTypes, example },
    headers: ['If-Match'],
    read: async (source) => ({ ...(await read(source)), revisions: revisionsIn(source) }),
  };
};

/** No body, but the state that an `If-Match` names. */
export const preconditionInput: RequestInput<Pick<SentChanges, 'revisions'>> = {
  headers: ['If-Match'],
  read: (source) => {
    requireNoParameters(source.queryString);
    return { revisions: revisionsIn(source) };
  },
};

/** The parameters of a list. */
export const listInput = <Field extends string>(list: ListParameters<Field>): RequestInput<MarkedQuery<Field>> => ({
  list,
  read: ({ queryString, listKey }) => list.read(queryString, listKey),
});
