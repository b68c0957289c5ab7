import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as OTLP has it. */
export interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code: number };
  readonly events?: readonly { readonly name: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[];
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** Starts a collector that keeps what it receives. */
export const startCollector = async () => {
  const exported: Exported[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    const receive = async (): Promise<void> => {
      exported.push((await json(request)) as Exported);
      response.end('{}');
      arrivals.emit('more');
    };
    void receive();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spans = (): readonly Span[] =>
    exported.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)),
    );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exported,
    spans,
    /** Waits for a span. */
    exportedSpan: async (isWanted: (span: Span) => boolean): Promise<Span> => {
      for (;;) {
        const found = spans().find(isWanted);
        if (found) return found;
        await once(arrivals, 'more');
      }
    },
    close: () => server.close(),
  };
};
