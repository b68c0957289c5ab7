/** A running PostgreSQL in which tests may create and drop databases. */
export interface PostgresServer {
  /** For the message that says which server the tests use. */
  readonly name: string;
  readonly url: string;
  readonly stop: () => Promise<void>;
}
