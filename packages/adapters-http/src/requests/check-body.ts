import { type FieldFault, type SentFields, validationFailed } from '@chapter/domain';
import { type TObject, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { MAX_FAULTS } from '../errors/fault-limits.ts';
import { unknownName } from '../errors/unknown-name.ts';
import { wireFault } from '../errors/wire-fault.ts';
import { byWireName, toDomainName } from '../errors/wire-names.ts';
import type { DuplicateNames } from './read-json.ts';

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
