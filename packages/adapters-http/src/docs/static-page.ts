/** The content of a page and its additional headers. */
interface PageContent {
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page that is the same for all callers. */
export interface StaticPage {
  readonly path: `/api/${string}`;
  readonly type: string;
  readonly cache: string;
  /** Whether the content is known before the service listens, so that it can be compressed before the first request. */
  readonly isAsset: boolean;
  /** Loads the content. Called once. */
  readonly load: () => Promise<PageContent>;
}
