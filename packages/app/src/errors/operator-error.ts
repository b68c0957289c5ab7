/**
 * Something that the operator can put right, told in one sentence: it goes to standard error without a stack, and the
 * process ends with status 1.
 */
export class OperatorError extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.name = 'OperatorError';
  }
}
