/** What is at a path: bytes, the same for everybody, and the headers that go with them. */
interface PageContent {
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A path that answers the same to everybody. */
export interface Page {
  readonly path: `/api/${string}`;
  readonly type: string;
  readonly cache: string;
  /** Called once, when somebody first asks. */
  readonly load: () => Promise<PageContent>;
}
