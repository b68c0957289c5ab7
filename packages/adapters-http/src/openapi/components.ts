import * as divisions from '../schemas/division.ts';
import { type ExampleSource, exampleOf } from '../schemas/fields.ts';
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

const mapValues = <T>(values: Readonly<Record<string, T>>, map: (value: T) => Json | undefined): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** Converts the schema of a property to JSON with examples. JSON Schema 2020-12 allows them also next to a reference. */
const withExamples = (property: ExampleSource): JsonObject => ({
  ...(withReferences(property) as JsonObject),
  examples: (property.examples ?? [exampleOf(property) ?? null]) as readonly Json[],
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
  const { properties } = schema as ExampleSource;
  return {
    ...mapValues(schema as Readonly<Record<string, unknown>>, withReferences),
    ...(properties ? { properties: mapValues(properties, withExamples) } : {}),
  };
};
