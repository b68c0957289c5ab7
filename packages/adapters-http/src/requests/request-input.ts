import { type FieldFault, type SentChanges, type SentFields, validationFailed } from '@chapter/domain';
import { type Static, type TObject, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { MAX_FAULTS } from '../errors/fault-limits.ts';
import { unknownName } from '../errors/unknown-name.ts';
import { wireFault } from '../errors/wire-fault.ts';
import { byWireName, toDomainName, type WithDomainNames } from '../errors/wire-names.ts';
import type { ListParameters } from '../lists/list-parameters.ts';
import { refuseParameters } from '../lists/query-string.ts';
import { closed } from '../schemas/closed.ts';
import { header, IDEMPOTENCY_KEY, idempotencyKeyFaults, revisionsOf } from './headers.ts';
import { type BodySource, type DuplicateNames, JSON_TYPE, MERGE_PATCH_TYPE, readJson } from './read-json.ts';

/** The fields of a body under their names in the domain, and what is wrong with their shape. */
export interface CheckedBody {
  readonly fields: SentFields;
  readonly faults: readonly FieldFault[];
}

/** What a body may have. */
export interface BodyDescription {
  /** Names on the wire. */
  readonly schema: TObject;
  /** Fields of the domain that a body may name only to be told that they are read only. */
  readonly readOnly?: readonly string[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  null: 'null',
};

const typeDetail = (type: unknown): string =>
  `must be ${[type]
    .flat()
    .map((name) => TYPES[String(name)] ?? String(name))
    .join(' or ')}`;

// Validators look into every item of an array, and `uniqueItems` into every level of an item. The names and types of
// fields are what is checked here, so that the work does not depend on their values.
const shapeOf = (schema: TObject) =>
  Type.Unsafe<unknown>({
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        'type' in property ? { type: property.type } : {},
      ]),
    ),
  });

/**
 * Makes the check of a body against its schema. It finds faults of shape (names, types, what is missing); the bounds of the
 * schema are the domain's, which checks them itself and words them better. A known field with a duplicate name has no other fault.
 */
export const makeBodyCheck = ({ schema, readOnly = [] }: BodyDescription) => {
  const validator = Compile(shapeOf(schema));
  const wireNames = Object.keys(schema.properties);
  const names = byWireName([...wireNames.map(toDomainName), ...readOnly]);
  const known = new Set(wireNames);

  /** @throws DomainError `validation_failed` for what is no object. */
  return (body: unknown, duplicates: DuplicateNames = NO_DUPLICATES): CheckedBody => {
    if (!isObject(body)) throw validationFailed([{ field: '', code: 'invalid_type', detail: 'must be a JSON object' }]);
    const fields: Record<string, unknown> = {};
    const shape: Record<string, unknown> = {};
    const faults: FieldFault[] = duplicateFaults(duplicates, names);
    for (const [wire, value] of Object.entries(body)) {
      const name = names.get(wire);
      if (name === undefined) {
        if (faults.length < MAX_FAULTS) {
          faults.push(wireFault(wire, 'unknown_field', unknownName('field', wire, wireNames)));
        }
        continue;
      }
      fields[name] = value;
      if (known.has(wire)) shape[wire] = value;
    }
    if (faults.length < MAX_FAULTS && !validator.Check(shape)) addShapeFaults(faults, validator.Errors(shape));
    return { fields, faults };
  };
};

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
}

const NO_DUPLICATES: DuplicateNames = new Map();

const duplicateFaults = (duplicates: DuplicateNames, names: ReadonlyMap<string, string>): FieldFault[] =>
  Array.from(duplicates, ([wire, detail]) => {
    const field = names.get(wire);
    return field === undefined ? wireFault(wire, 'duplicate', detail) : { field, code: 'duplicate', detail };
  });

const addShapeFaults = (faults: FieldFault[], errors: readonly SchemaError[]): void => {
  const add = (field: string, code: FieldFault['code'], detail: string): void => {
    if (!faults.some((known) => known.field === field)) faults.push({ field, code, detail });
  };
  for (const { keyword, instancePath, params } of errors) {
    if (keyword === 'type') {
      add(toDomainName(instancePath.slice(1)), 'invalid_type', typeDetail('type' in params ? params.type : undefined));
    }
    if (keyword === 'required' && 'requiredProperties' in params) {
      for (const missing of params.requiredProperties as readonly string[])
        add(toDomainName(missing), 'required', 'is required');
    }
  }
};

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
  readonly body?: {
    readonly schema: TObject;
    readonly mediaTypes: readonly string[];
    readonly example: unknown;
    readonly isOptional?: boolean;
  };
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

/** A body whose fields the domain checks, with the faults of shape that HTTP found. */
export const fieldsInput = <Schema extends TObject>({
  schema,
  example,
}: DocumentedBody<Schema>): RequestInput<CheckedBody> => {
  const mediaTypes = [JSON_TYPE];
  return { body: { schema, mediaTypes, example }, read: makeBodyReader({ schema }, mediaTypes) };
};

/** An object without fields, or no body. */
export const emptyInput = (): RequestInput<void> => {
  const schema = Type.Object({}, closed);
  const { read } = bodyInput({ schema, example: {} });
  return {
    body: { schema, mediaTypes: [JSON_TYPE], example: {}, isOptional: true },
    read: async (source) => {
      const { headers } = source.message;
      const isAbsent = Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined;
      if (isAbsent) requireNoParameters(source.queryString);
      else await read(source);
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
