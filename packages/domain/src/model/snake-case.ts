/** A name of the domain as {@link snakeCase} writes it. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** Writes a name of the domain as the API and the command line do: `firstName` is `first_name`. Contract, section 1. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
