import type { FaultCode, FieldFault } from '@chapter/domain';
import { shownName } from './fault-limits.ts';
import { toWireName } from './wire-names.ts';

/**
 * A fault of a parameter, a header or an unknown field, for which the domain has no name: `field` is empty, and `wire` is
 * the name as it was sent, cut to 100 code points.
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
