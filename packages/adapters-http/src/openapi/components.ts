import * as divisions from '../schemas/division.ts';
import * as problems from '../schemas/problem.ts';
import * as service from '../schemas/service.ts';
import * as sessions from '../schemas/session.ts';
import * as users from '../schemas/user.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Undefined members are omitted. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** The named schemas of the document, by the name of their export. */
export const namedSchemas: Readonly<Record<string, object>> = {
  ...sessions,
  ...users,
  ...divisions,
  ...service,
  ...problems,
};

const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));

interface Schema {
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly examples?: readonly Json[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const mapValues = <T>(values: Readonly<Record<string, T>>, map: (value: T) => Json | undefined): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** Returns the schema's own example, or derives one from its constant, its choices, its items or its properties. */
const exampleOf = ({ const: constant, enum: choices, examples, items, properties }: Schema): Json | undefined => {
  if (examples) return examples[0];
  if (items) return [exampleOf(items) ?? null];
  if (properties) return mapValues(properties, exampleOf);
  return constant ?? choices?.[0];
};

/** Converts the schema of a property to JSON with examples. JSON Schema 2020-12 allows them also next to a reference. */
const withExamples = (property: Schema): JsonObject => ({
  ...(withReferences(property) as JsonObject),
  examples: property.examples ?? [exampleOf(property) ?? null],
});

/** Converts a schema to JSON, with references in place of named schemas, and with examples of every property. */
export const withReferences = (schema: unknown): Json => {
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  const name = names.get(schema);
  return name === undefined ? withReferencesInside(schema) : { $ref: `#/components/schemas/${name}` };
};

/** Converts a schema to JSON like {@link withReferences}, but does not replace the schema itself. */
export const withReferencesInside = (schema: object): Json => {
  if (Array.isArray(schema)) return schema.map(withReferences);
  const { properties } = schema as Schema;
  return {
    ...mapValues(schema as Readonly<Record<string, unknown>>, withReferences),
    ...(properties ? { properties: mapValues(properties, withExamples) } : {}),
  };
};
