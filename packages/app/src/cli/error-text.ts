import { type DomainError, type FieldFault, isDomainError, snakeCase } from '@chapter/domain';
import { ConfigError } from '../config/config-error.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { Interrupted } from './interrupted.ts';

const sentence = (part: string): string =>
  `${part.charAt(0).toUpperCase()}${part.slice(1)}${/[.?!]$/.test(part) ? '' : '.'}`;

const optionOf = ({ field }: FieldFault): string =>
  field === 'password'
    ? 'the password'
    : `--${snakeCase(field)
        .replaceAll('_', '-')
        .replace(/^groups$/, 'group')}`;

const domainFault = ({ code, faults, message }: DomainError): string => {
  if (code === 'unavailable') return 'The database cannot be reached or is overloaded; try again.';
  // Only commands with the option --force refuse this.
  if (code === 'last_leader') return sentence(`${message}, or give --force`);
  if (faults.length === 0) return sentence(message);
  return faults.map((fault) => sentence(`${optionOf(fault)} ${fault.detail}`)).join('\n');
};

/** Describes an error to the operator, without a stack trace, SQL or secrets. */
export const errorText = (error: unknown): string => {
  if (error instanceof OperatorError || error instanceof ConfigError || error instanceof Interrupted)
    return error.message;
  if (isDomainError(error)) return domainFault(error);
  return `Unexpected internal error (${error instanceof Error ? error.name : typeof error}).`;
};
