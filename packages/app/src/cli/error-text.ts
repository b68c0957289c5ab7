import { type DomainError, type FieldFault, isDomainError, snakeCase } from '@chapter/domain/api';
import { OperatorError } from '../errors/operator-error.ts';
import { Interrupted } from '../system/signals.ts';

/** Returns a part of a sentence as a sentence. */
export const sentence = (part: string): string =>
  `${part.charAt(0).toUpperCase()}${part.slice(1)}${/[.?!]$/.test(part) ? '' : '.'}`;

const optionOf = ({ field }: FieldFault): string =>
  field === 'password'
    ? 'the password'
    : `--${snakeCase(field)
        .replaceAll('_', '-')
        .replace(/^groups$/, 'group')}`;

/** Sentences about transactions that the database ended or refused, by SQLSTATE (PostgreSQL, appendix A). */
const ENDED_TRANSACTIONS: Readonly<Record<string, string>> = {
  '25P03':
    'The command did nothing for 5 minutes, for instance because it was stopped (Ctrl-Z), so the database ended its transaction, which changed nothing.',
  '53100': 'The disk of the database is full; free some space on it, then try again.',
  '55P03': 'Another transaction holds a lock that the command needs; try again.',
};

const domainFault = ({ cause, code, faults, message }: DomainError): string => {
  if (code === 'unavailable') {
    const [, sqlState = ''] = /SQLSTATE (\w+)/.exec(String(cause)) ?? [];
    return ENDED_TRANSACTIONS[sqlState] ?? 'The database cannot be reached or is overloaded; try again.';
  }
  // Only commands with the option --force refuse this.
  if (code === 'last_leader') return sentence(`${message}, or give --force`);
  if (faults.length === 0) return sentence(message);
  return faults.map((fault) => sentence(`${optionOf(fault)} ${fault.detail}`)).join('\n');
};

/** Describes an error to the operator, without a stack trace, SQL or secrets. */
export const errorText = (error: unknown): string => {
  if (error instanceof OperatorError || error instanceof Interrupted) return error.message;
  if (isDomainError(error)) return domainFault(error);
  return `Unexpected internal error (${error instanceof Error ? error.name : typeof error}).`;
};
