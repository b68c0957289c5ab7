import type { DivisionChanges } from '../model/division.ts';
import { type FieldCheck, type FieldChecks, fault, nullable, type TextRule, text } from './field-check.ts';

/** Fields of a division that the service gives and nobody may send. */
export const DIVISION_READ_ONLY = ['id'] as const;

/** The bounds of a division's fields. Contract, section 4. */
export const divisionRules = {
  name: { min: 1, max: 150 },
  url: {
    min: 1,
    max: 2048,
    // RFC 3986: scheme, optional user information, host (a name or an address in brackets), port, path, query, fragment.
    pattern:
      /^https?:\/\/(?:[^\s/?#@[\]\\]*@)?(?:\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\<>"^`{|}%]+)(?::\d{1,5})?(?:[/?#][^\s<>"^`{|}\\]*)?$/iu,
    patternDetail: 'must be an http or https URL',
  },
} as const satisfies Record<string, TextRule>;

const LARGEST_PORT = 65_535;

const portIn = (address: string): number => Number(/^[^/]+\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(address)?.[1] ?? 0);

const noUrl = fault('invalid_format', divisionRules.url.patternDetail);

const url: FieldCheck<string> = (input) => {
  const checked = text(divisionRules.url)(input);
  // An empty string is no address at all, which is more to the point than that it is too short.
  if ('fault' in checked) return checked.fault.code === 'too_short' ? noUrl : checked;
  return portIn(checked.value) > LARGEST_PORT ? noUrl : checked;
};

/** The rules of the fields that an update of a division may name. */
export const divisionChecks: FieldChecks<DivisionChanges & Required<DivisionChanges>> = {
  name: text(divisionRules.name),
  logo: nullable(url),
  fanpage: nullable(url),
};
