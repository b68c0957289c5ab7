/** The content of a page and the headers that go with it. */
interface PageContent {
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page that is the same for all callers. */
export interface Page {
  readonly path: `/api/${string}`;
  readonly type: string;
  readonly cache: string;
  /** Called once, by the first request. */
  readonly load: () => Promise<PageContent>;
}
