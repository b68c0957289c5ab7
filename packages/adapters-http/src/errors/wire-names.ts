import { snakeCase } from '@chapter/domain';

/** Returns the name of a domain field on the wire: `firstName` is `first_name`. Contract, section 1. */
export const toWireName = (name: string): string => snakeCase(name);

/** Returns the name that a field on the wire has in the domain: `first_name` is `firstName`. */
export const toDomainName = (wire: string): string =>
  wire.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

type DomainName<Wire extends string> = Wire extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<DomainName<Rest>>}`
  : Wire;

/** An object from the wire with the names of the domain, as {@link toDomainName} makes them. */
export type WithDomainNames<T> = { readonly [Wire in keyof T as DomainName<Wire & string>]: T[Wire] };

/** Maps the name on the wire to the name in the domain, so that `firstName` itself is unknown. */
export const byWireName = <Name extends string>(names: readonly Name[]): ReadonlyMap<string, Name> =>
  new Map(names.map((name) => [toWireName(name), name]));
