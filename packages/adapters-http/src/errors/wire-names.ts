import { snakeCase } from '@chapter/domain';

/** Returns the name of a domain field on the wire: `firstName` is `first_name` (contract §1). */
export const toWireName = (name: string): string => snakeCase(name);

/** Returns the domain name of a field on the wire: `first_name` is `firstName`. */
export const toDomainName = (wire: string): string =>
  wire.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

type DomainName<Wire extends string> = Wire extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<DomainName<Rest>>}`
  : Wire;

/** An object from the wire with domain names, converted as by {@link toDomainName}. */
export type WithDomainNames<T> = { readonly [Wire in keyof T as DomainName<Wire & string>]: T[Wire] };

/** Maps names on the wire to domain names. The domain name `firstName` itself is not a key. */
export const byWireName = <Name extends string>(names: readonly Name[]): ReadonlyMap<string, Name> =>
  new Map(names.map((name) => [toWireName(name), name]));
