/** A running PostgreSQL in which tests may create and drop databases. */
export interface PostgresServer {
  /** For the one line on screen that says what the tests ran on. */
  readonly name: string;
  readonly url: string;
  readonly stop: () => Promise<void>;
}
