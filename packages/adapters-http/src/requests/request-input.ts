import {
  anyString,
  checkFields,
  type FieldFault,
  type PermissionTarget,
  refuseFaults,
  type SentChanges,
  type SentCreation,
  type SentRequest,
  uuid,
  validationFailed,
} from '@chapter/domain/api';
import { type Static, type TObject, type TString, Type } from 'typebox';
import {
  byWireName,
  MAX_FAULTS,
  toDomainName,
  unknownName,
  type WithDomainNames,
  wireFault,
} from '../errors/faults.ts';
import { type ListParameter, readCount } from '../lists/filter-parameters.ts';
import type { ListParameters } from '../lists/list-parameters.ts';
import { parseParameters } from '../lists/query-string.ts';
import { objectSchema } from '../schemas/fields.ts';
import { header, IDEMPOTENCY_KEY, idempotencyKeyFaults, revisionsOf } from './headers.ts';
import { type BodySource, hasBody, JSON_TYPE, MERGE_PATCH_TYPE, type ParsedJson, readJson } from './read-json.ts';

interface BodyFields {
  /** The schema, with names on the wire (`first_name`). It documents values; the domain checks them. */
  readonly schema: TObject;
  /** Domain names of fields that the domain rejects as `read_only`. Other names are unknown. */
  readonly readOnly?: readonly string[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Makes a function that returns the fields of a body under their domain names, and the faults of their names. */
export const makeReadBody = ({ schema, readOnly = [] }: BodyFields) => {
  const wireNames = Object.keys(schema.properties);
  const names = byWireName([...wireNames.map(toDomainName), ...readOnly]);

  /** @throws DomainError `validation_failed` if the body is not an object. */
  return ({ value: body, duplicates }: ParsedJson): Required<SentRequest> => {
    if (!isObject(body)) throw validationFailed([{ field: '', code: 'invalid_type', detail: 'must be a JSON object' }]);
    const fields: Record<string, unknown> = {};
    const faults = Array.from(duplicates, ([wire, detail]): FieldFault => {
      const field = names.get(wire);
      return field === undefined ? wireFault(wire, 'duplicate', detail) : { field, code: 'duplicate', detail };
    });
    for (const [wire, value] of Object.entries(body)) {
      const name = names.get(wire);
      if (name !== undefined) fields[name] = value;
      else if (faults.length < MAX_FAULTS) {
        faults.push(wireFault(wire, 'unknown_field', unknownName('field', wire, wireNames)));
      }
    }
    return { fields, faults };
  };
};

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
    /** If absent, derived from the schema. */
    readonly example?: unknown;
    readonly isOptional?: boolean;
  };
  readonly headers?: readonly ('If-Match' | typeof IDEMPOTENCY_KEY)[];
  readonly list?: ListParameters<string>;
  /** The query parameters of a request that is no list. */
  readonly parameters?: readonly Pick<ListParameter, 'name' | 'description' | 'schema' | 'only'>[];
}

interface DocumentedBody<Schema extends TObject> extends BodyFields {
  readonly schema: Schema;
  readonly example?: Static<Schema>;
}

const parameterFaults = (queryString: string): readonly FieldFault[] =>
  queryString === '' ? [] : parseParameters(queryString, []).faults;

/** Rejects all query parameters. @throws DomainError `validation_failed` if there are any. */
export const requireNoParameters = (queryString: string): void => refuseFaults(parameterFaults(queryString));

/** The input of a request that takes neither parameters nor a body. */
export const noInput: RequestInput<void> = { read: ({ queryString }) => requireNoParameters(queryString) };

/** Describes a query parameter that is a whole number from 1 on, and takes no others. */
export const countInput = (
  name: string,
  description: string,
  limits: { readonly default: number; readonly max: number },
): RequestInput<number> => ({
  parameters: [
    { name, description, schema: Type.Integer({ minimum: 1, maximum: limits.max, default: limits.default }) },
  ],
  read: ({ queryString }) => {
    const { parameters, faults } = parseParameters(queryString, [name]);
    const sent = parameters.get(name);
    const checked = sent === undefined ? { value: limits.default } : readCount(sent, limits.max);
    refuseFaults('fault' in checked ? [...faults, wireFault(name, checked.fault.code, checked.fault.detail)] : faults);
    return 'value' in checked ? checked.value : limits.default;
  },
});

const TARGET_KINDS = ['user', 'division'] as const;

/** The input of a request that may ask about one target: a user or a division. */
export const targetInput: RequestInput<PermissionTarget | null> = {
  parameters: TARGET_KINDS.map((name) => ({
    name,
    description: `The id of a ${name} to decide about. At most one of ${TARGET_KINDS.join(' and ')}.`,
    schema: Type.String({ format: 'uuid' }),
  })),
  read: ({ queryString }) => {
    const { parameters, faults } = parseParameters(queryString, TARGET_KINDS);
    const [kind, other] = TARGET_KINDS.filter((name) => parameters.has(name));
    const checked = kind && uuid(parameters.get(kind) ?? '');
    const all: FieldFault[] = [...faults];
    if (kind && other) all.push(wireFault(other, 'unknown_parameter', `cannot be combined with \`${kind}\``));
    if (kind && checked && 'fault' in checked) all.push(wireFault(kind, checked.fault.code, checked.fault.detail));
    refuseFaults(all);
    return kind && checked && 'value' in checked ? { kind, id: checked.value } : null;
  },
};

/** Describes a body whose fields the domain checks. */
export const fieldsInput = <Schema extends TObject>(
  { example, ...description }: DocumentedBody<Schema>,
  mediaTypes: readonly string[] = [JSON_TYPE],
) => {
  const readBody = makeReadBody(description);
  return {
    body: { schema: description.schema, mediaTypes, example },
    read: async (source: InputSource): Promise<Required<SentRequest>> => {
      const { fields, faults } = readBody(await readJson(source, mediaTypes));
      return { fields, faults: [...parameterFaults(source.queryString), ...faults] };
    },
  } satisfies RequestInput<SentRequest>;
};

/** Describes a body of required strings without rules, such as credentials. Returns them under their domain names. */
export const stringsInput = <Schema extends TObject<Record<string, TString>>>(
  description: DocumentedBody<Schema>,
): RequestInput<WithDomainNames<Static<Schema>>> => {
  const { body, read } = fieldsInput(description);
  const required = Object.keys(description.schema.properties).map(toDomainName);
  const checks = Object.fromEntries(required.map((field) => [field, anyString]));
  return {
    body,
    read: async (source) => {
      const { values, faults } = checkFields(checks, await read(source), { required });
      refuseFaults(faults);
      return values as WithDomainNames<Static<Schema>>;
    },
  };
};

/** The input of a request whose body is an empty object or absent. */
export const emptyInput = (): RequestInput<void> => {
  const { body, read } = fieldsInput({ schema: objectSchema({}) });
  return {
    body: { ...body, isOptional: true },
    read: async (source) => {
      if (hasBody(source.message)) refuseFaults((await read(source)).faults);
      else requireNoParameters(source.queryString);
    },
  };
};

/** Describes a body that creates a resource, with an optional `Idempotency-Key` (contract §7). */
export const creationInput = <Schema extends TObject>(
  description: DocumentedBody<Schema>,
): RequestInput<SentCreation> => {
  const { body, read } = fieldsInput(description);
  return {
    body,
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
export const changesInput = <Schema extends TObject>(
  description: DocumentedBody<Schema>,
): RequestInput<SentChanges> => {
  const { body, read } = fieldsInput(description, [JSON_TYPE, MERGE_PATCH_TYPE]);
  return {
    body,
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
