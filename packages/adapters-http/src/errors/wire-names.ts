import { type FaultCode, type FieldFault, snakeCase } from '@chapter/domain';
import { shownName } from './fault-limits.ts';

/** The name of a domain field on the wire: `firstName` is `first_name`. Contract, section 1. */
export const toWireName = (name: string): string => snakeCase(name);

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

/** Makes a {@link WireFault}, with the name as {@link shownName} cuts it. */
export const wireFault = (wire: string, code: FaultCode, detail: string): WireFault => ({
  field: '',
  wire: shownName(wire),
  code,
  detail,
});

/** The name under which a fault is reported. */
export const faultName = (fault: FieldFault | WireFault): string =>
  'wire' in fault ? fault.wire : toWireName(fault.field);
