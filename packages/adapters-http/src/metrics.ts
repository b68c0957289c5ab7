/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The path pattern of the route, or null where there is none. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
}

/** Where answered requests are counted. */
export interface HttpMetrics {
  observe(request: AnsweredRequest): void;
}
