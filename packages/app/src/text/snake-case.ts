import { snakeCase } from '@chapter/domain';

/** A value with the names of its fields as the API writes them, at every depth. */
export const snakeCased = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), snakeCased(member)]));
};
