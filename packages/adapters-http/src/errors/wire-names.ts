import type { FaultCode, FieldFault } from '@chapter/domain';
import { shownName } from './fault-limits.ts';

/** The name of a domain field on the wire: `firstName` is `first_name`. Contract, section 1. */
export const toWireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The reverse of {@link toWireName}: `first_name` is `firstName`. */
export const toDomainName = (wire: string): string =>
  wire.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

type DomainName<Wire extends string> = Wire extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<DomainName<Rest>>}`
  : Wire;

/** An object from the wire with the names of the domain, as {@link toDomainName} makes them. */
export type WithDomainNames<T> = { readonly [Wire in keyof T as DomainName<Wire & string>]: T[Wire] };

/** The same names, each by the one it has on the wire, so that `firstName` itself is no name there. */
export const byWireName = <Name extends string>(names: readonly Name[]): ReadonlyMap<string, Name> =>
  new Map(names.map((name) => [toWireName(name), name]));

/**
 * A fault of something that the domain has no name for: a parameter, a header, an unknown field. Its `field` is empty, so
 * that it stands for no field of the domain; `wire` is the name as it was sent, cut to 100 code points.
 */
export interface WireFault extends FieldFault {
  readonly wire: string;
}

/** Makes a fault of a name from the request, which is cut to 100 code points. */
export const wireFault = (wire: string, code: FaultCode, detail: string): WireFault => ({
  field: '',
  wire: shownName(wire),
  code,
  detail,
});

/** The name under which a fault is reported. */
export const faultName = (fault: FieldFault | WireFault): string =>
  'wire' in fault ? fault.wire : toWireName(fault.field);
