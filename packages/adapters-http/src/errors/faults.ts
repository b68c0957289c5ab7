import { type FaultCode, type FieldFault, snakeCase } from '@chapter/domain/api';
import { nearest } from '../names/index.ts';

/** The maximum number of faults in a problem; further faults are omitted (contract §2). */
export const MAX_FAULTS = 50;

/** The maximum length, in code points, of a name from the request in a problem (contract §2). */
export const MAX_SHOWN_NAME = 100;

/** Returns a name from the request for use in a problem: truncated and without lone surrogates. */
export const shownName = (name: string): string => {
  if (name.length <= MAX_SHOWN_NAME) return name.toWellFormed();
  // A code point has at most two UTF-16 units, so this prefix contains enough code points.
  const start = name.slice(0, 2 * MAX_SHOWN_NAME);
  return Array.from(start).slice(0, MAX_SHOWN_NAME).join('').toWellFormed();
};

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

/**
 * A fault of a parameter, a header or an unknown field, which has no domain name. `field` is empty, and `wire` is the
 * name from the request, cut to 100 code points.
 */
export interface WireFault extends FieldFault {
  readonly wire: string;
}

/** Makes the fault of a name from the request, and cuts the name to 100 code points. */
export const wireFault = (wire: string, code: FaultCode, detail: string): WireFault => ({
  field: '',
  wire: shownName(wire),
  code,
  detail,
});

/** Returns the name that a problem shows for a fault. */
export const faultName = (fault: FieldFault | WireFault): string =>
  'wire' in fault ? fault.wire : toWireName(fault.field);

/** Describes an unknown name and suggests the nearest known one: "unknown parameter `emial`; did you mean `email`?". */
export const unknownName = (kind: 'parameter' | 'field', name: string, known: Iterable<string>): string => {
  const suggestion = nearest(name, known);
  const shown = shownName(name);
  return suggestion === undefined
    ? `unknown ${kind} \`${shown}\``
    : `unknown ${kind} \`${shown}\`; did you mean \`${suggestion}\`?`;
};
