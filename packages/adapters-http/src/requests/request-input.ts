import { type FieldFault, refuseFaults, type SentChanges, type SentFields, validationFailed } from '@chapter/domain';
import { type Static, type TObject, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import { MAX_FAULTS } from '../errors/fault-limits.ts';
import { unknownName } from '../errors/unknown-name.ts';
import { wireFault } from '../errors/wire-fault.ts';
import { byWireName, toDomainName, type WithDomainNames } from '../errors/wire-names.ts';
import type { ListParameters } from '../lists/list-parameters.ts';
import { unexpectedParameterFaults } from '../lists/query-string.ts';
import { closed } from '../schemas/closed.ts';
import { header, IDEMPOTENCY_KEY, idempotencyKeyFaults, revisionsOf } from './headers.ts';
import { type BodySource, type DuplicateNames, JSON_TYPE, MERGE_PATCH_TYPE, readJson } from './read-json.ts';

/** The fields of a body under their domain names, and the faults in its shape. */
export interface CheckedBody {
  readonly fields: SentFields;
  readonly faults: readonly FieldFault[];
}

/** Describes the fields that a body may contain. */
export interface BodyDescription {
  /** The schema, with names on the wire (`first_name`). */
  readonly schema: TObject;
  /** Domain names of fields that are rejected as `read_only` rather than as `unknown_field`. */
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

// Validators inspect every item of an array, and `uniqueItems` every level of an item. Only the names and types of fields
// are checked here, so that the work does not depend on their values.
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
 * Makes a function that checks the shape of a body: unknown names, wrong types, missing fields. The domain checks the
 * limits in the schema, because its messages are better. A duplicate field gets no further fault unless its name is unknown.
 */
export const makeBodyCheck = ({ schema, readOnly = [] }: BodyDescription) => {
  const validator = Compile(shapeOf(schema));
  const wireNames = Object.keys(schema.properties);
  const names = byWireName([...wireNames.map(toDomainName), ...readOnly]);
  const known = new Set(wireNames);

  /** @throws DomainError `validation_failed` if the body is not an object. */
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
    if (faults.length < MAX_FAULTS && !validator.Check(shape)) addShapeFaults(faults, validator.Errors(shape)[1]);
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

/** The parts of a request that contain its input. */
interface InputSource extends BodySource {
  readonly queryString: string;
  /** Identifies the list, including the id in its path, because a cursor is valid only for its own list. */
  readonly listKey: string;
}

/** The input of a request besides its path and token: how to read and how to document it. */
export interface RequestInput<T> {
  /** @throws DomainError, HttpError for invalid input. */
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

/** The description of a body, with an example for the OpenAPI document. */
type DocumentedBody<Schema extends TObject> = Pick<BodyDescription, 'readOnly'> & {
  readonly schema: Schema;
  readonly example: Static<Schema>;
};

/** Rejects all query parameters. @throws DomainError `validation_failed` if there are any. */
export const requireNoParameters = (queryString: string): void => refuseFaults(unexpectedParameterFaults(queryString));

/** The input of a request that takes neither parameters nor a body. */
export const noInput: RequestInput<void> = { read: ({ queryString }) => requireNoParameters(queryString) };

const makeBodyReader = (description: BodyDescription, mediaTypes: readonly string[]) => {
  const check = makeBodyCheck(description);
  return async (source: InputSource): Promise<CheckedBody> => {
    const { value, duplicates } = await readJson(source, mediaTypes);
    const { fields, faults } = check(value, duplicates);
    const unexpected = source.queryString === '' ? [] : unexpectedParameterFaults(source.queryString);
    return { fields, faults: [...unexpected, ...faults] };
  };
};

/** Describes a body that the domain does not check further. Returns its fields under their domain names. */
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
      refuseFaults(faults);
      return fields as WithDomainNames<Static<Schema>>;
    },
  };
};

/** Describes a body that the domain checks further. Returns its fields and the faults in its shape. */
export const fieldsInput = <Schema extends TObject>({
  schema,
  example,
}: DocumentedBody<Schema>): RequestInput<CheckedBody> => {
  const mediaTypes = [JSON_TYPE];
  return { body: { schema, mediaTypes, example }, read: makeBodyReader({ schema }, mediaTypes) };
};

/** The input of a request whose body is an empty object or absent. */
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

/** Describes a body that creates a resource, with an optional `Idempotency-Key` (contract §7). */
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

/** Describes a body that changes a resource, with an optional `If-Match` (contract §7). */
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

/** The input of a request without a body, with an optional `If-Match`. */
export const preconditionInput: RequestInput<Pick<SentChanges, 'revisions'>> = {
  headers: ['If-Match'],
  read: (source) => {
    requireNoParameters(source.queryString);
    return { revisions: revisionsIn(source) };
  },
};
