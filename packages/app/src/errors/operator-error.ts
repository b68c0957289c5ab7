/**
 * An error that the operator can fix, described in one sentence. The command line writes it to standard error without a
 * stack trace and exits with status 1.
 */
export class OperatorError extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.name = 'OperatorError';
  }
}
