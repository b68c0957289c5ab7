import { snakeCase } from '@chapter/domain';

/** Converts the field names of a value to snake case at every depth, as the API writes them. */
export const snakeCased = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), snakeCased(member)]));
};
