// Public types have a file of their own: the declarations of the module that asks import those of the driver.

/** What a database's server says about its load. Roles without privileges see no times of other roles' transactions. */
export interface ServerLoad {
  /** How many connections roles without privileges may open, and how many of them are left. */
  readonly connections: { readonly usable: number; readonly free: number };
  /** The oldest transaction of another session in this database. */
  readonly oldest: { readonly pid: number; readonly applicationName: string; readonly seconds: number } | null;
  /** The largest division with the planner's estimate of its users; null before the first ANALYZE. */
  readonly largest: { readonly divisionId: string; readonly users: number } | null;
  /** The sizes of the 20 largest tables with their indexes, by name, as of the latest vacuum or ANALYZE of each. */
  readonly tableBytes: Readonly<Record<string, number>>;
}

/** A replica with its host and port, and why it cannot be read, or how old its latest change is; null if it has all. */
export type ReplicaState = { readonly url: string; readonly name: string } & (
  | { readonly error: unknown }
  | { readonly isStandby: boolean; readonly secondsBehind: number | null }
);

/** Questions of an operator about a database. None reads more than a few rows. @throws DomainError `unavailable`. */
export interface Diagnosis {
  readonly load: () => Promise<ServerLoad>;
  readonly replicas: () => Promise<readonly ReplicaState[]>;
  /** The tables that have rows which expired more than an hour ago, separated by commas. */
  readonly overdue: () => Promise<string>;
}
