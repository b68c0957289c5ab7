/** The content of a page and its additional headers. */
interface PageContent {
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page that is the same for all callers. */
export interface Page {
  readonly path: `/api/${string}`;
  readonly type: string;
  readonly cache: string;
  /** Loads the content. The first request calls it, once. */
  readonly load: () => Promise<PageContent>;
}
