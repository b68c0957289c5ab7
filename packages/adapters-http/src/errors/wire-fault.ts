import type { FaultCode, FieldFault } from '@chapter/domain';
import { shownName } from './fault-limits.ts';
import { toWireName } from './wire-names.ts';

/**
 * A fault of a parameter, a header or an unknown field, which has no domain name. `field` is empty, and `wire` is the name
 * from the request, cut to 100 code points.
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
