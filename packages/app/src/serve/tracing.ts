import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestState } from '@chapter/adapters-http';
import { isDomainError, type SpanKind } from '@chapter/domain/ports';
import {
  type Attributes,
  context,
  DiagLogLevel,
  diag,
  SpanKind as Kind,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { envDetector, resourceFromAttributes, serviceInstanceIdDetector } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from 'pino';
import { version } from '../system/version.ts';
import { STOP_LIMITS_MS } from './lifecycle.ts';

// Names of OpenTelemetry's semantic conventions where they have one.
const attributesOf: Readonly<Record<SpanKind, (name: string) => Attributes>> = {
  'use case': (name) => ({ 'chapter.use_case': name }),
  statement: (name) => ({ 'db.system.name': 'postgresql', 'db.operation.name': name }),
  hash: () => ({}),
  wait: (name) => ({ 'chapter.wait': name }),
};

/** The longest message of the exporter in the log, in characters. */
const MAX_MESSAGE = 500;

const ignore = (): void => {};

/** Adds why work failed: the code of a refusal or the name of the error, never its message, which may quote data. */
const addFailure = (span: Span, error: unknown): void => {
  const refusal = isDomainError(error) ? error.code : undefined;
  span.setAttribute('error.type', refusal ?? (error instanceof Error ? error.name : typeof error));
  if (refusal === undefined || refusal === 'unavailable') span.setStatus({ code: SpanStatusCode.ERROR });
};

const runIn = async <T>(span: Span, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    addFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
};

/** Serves a request, and adds what its response shows. */
const serve = async (span: Span, state: RequestState, method: string, work: () => Promise<number>): Promise<void> => {
  state.traceId = span.spanContext().traceId;
  const status = await work();
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  if (state.route === null) return;
  span.updateName(`${method} ${state.route}`);
  span.setAttribute('http.route', state.route);
};

/** Makes traces, exported as OpenTelemetry's environment variables (`OTEL_…`) say. Metrics and logs are not. */
export const makeTracing = () => {
  const sdk = new NodeSDK({
    resource: resourceFromAttributes({ 'service.name': 'chapter-membership-service', 'service.version': version }),
    // Others name the user and the command line of the process.
    resourceDetectors: [serviceInstanceIdDetector, envDetector],
    metricReaders: [],
    logRecordProcessors: [],
  });
  const tracer = trace.getTracer('chapter', version);

  return {
    span: <T>(kind: SpanKind, name: string, work: () => Promise<T>): Promise<T> => {
      // A request that is not sampled has no parts that are. Without spans, they cost little.
      if (trace.getActiveSpan()?.isRecording() === false) return work();
      const options = {
        kind: kind === 'statement' ? Kind.CLIENT : Kind.INTERNAL,
        attributes: attributesOf[kind](name),
      };
      return tracer.startActiveSpan(name, options, (span) => runIn(span, work));
    },
    event: (name: string) => void trace.getActiveSpan()?.addEvent(name),
    traceRequest: ({ headers, method = '' }: IncomingMessage, state: RequestState, work: () => Promise<number>) => {
      const options = { kind: Kind.SERVER, attributes: { 'http.request.method': method } };
      const parent = propagation.extract(ROOT_CONTEXT, headers);
      return tracer.startActiveSpan(method, options, parent, (span) =>
        runIn(span, () => serve(span, state, method, work)),
      );
    },
    ids: (): { readonly trace_id?: string; readonly span_id?: string } => {
      const span = trace.getSpanContext(context.active());
      return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
    },
    /** The id of the current trace, if it is exported, for an exemplar. */
    exemplar: (): { readonly trace_id?: string } => {
      const span = trace.getActiveSpan();
      return span?.isRecording() ? { trace_id: span.spanContext().traceId } : {};
    },
    /** Begins to export. The log gets what is wrong with that. */
    start: (log: Pick<Logger, 'warn'>): void => {
      const warn = (message: string): void =>
        log.warn({ problem: message.slice(0, MAX_MESSAGE) }, 'traces cannot be exported');
      diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
      sdk.start();
    },
    /** Exports what has ended, if that is possible in time. */
    stop: () => Promise.race([sdk.shutdown().catch(ignore), sleep(STOP_LIMITS_MS.traces, undefined, { ref: false })]),
  };
};

/** The traces of one process. */
export type Tracing = ReturnType<typeof makeTracing>;
