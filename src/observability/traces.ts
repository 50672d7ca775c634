import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { once } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { Log } from '../domain/ports/log.js';
import type { AnsweredRequest, SearchFacts } from '../http/log.js';

export interface Traces {
  /** One trace: the request, the searches in it, the stages of each. */
  readonly answered: (request: AnsweredRequest) => void;
  /** Sends the remaining spans, within the deadline. */
  readonly close: () => Promise<void>;
}

export interface TracesParts {
  readonly endpoint: string;
  readonly log: Pick<Log, 'warn'>;
}

/** Deadline of a batch; then it is dropped, so that spans do not fill the memory. */
const EXPORT_TIMEOUT_MS = 5_000;

const EXPORT_EVERY_MS = 1_000;

/**
 * Sends traces to an OTLP collector at `endpoint`, by HTTP with JSON. Spans are built from the facts of completed
 * requests, so that the read path does not depend on tracing; a caller's `traceparent` is continued.
 */
export function startTraces({ endpoint, log }: TracesParts): Traces {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: EXPORT_EVERY_MS });
  const resource = resourceFromAttributes({ 'service.name': 'errata' });
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer('errata');
  const lost = (thrown: unknown): void => {
    log.warn({ err: asError(thrown) }, 'the collector refused traces; they are dropped');
  };
  setGlobalErrorHandler(lost);
  const propagator = new W3CTraceContextPropagator();
  return {
    answered: (request) => {
      const caller = { traceparent: request.traceparent };
      const context = propagator.extract(ROOT_CONTEXT, caller, {
        get: (carrier, key) => (key === 'traceparent' ? carrier.traceparent : undefined),
        keys: () => ['traceparent'],
      });
      traceRequest(tracer, context, request);
    },
    close: once(() => provider.shutdown().catch(lost)),
  };
}

function traceRequest(tracer: Tracer, context: Context, request: AnsweredRequest): void {
  const { method, route, status, startedMs, tookMs, id, facts } = request;
  const span = tracer.startSpan(
    [method, ...(facts.fields.length > 0 ? facts.fields : [route])].join(' '),
    {
      kind: SpanKind.SERVER,
      startTime: startedMs,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'errata.request_id': id,
        'errata.codes': [...facts.codes],
      },
    },
    context,
  );
  if (status >= 500 || facts.codes.includes('INTERNAL')) span.setStatus({ code: SpanStatusCode.ERROR });
  for (const search of facts.searches) traceSearch(tracer, trace.setSpan(context, span), search);
  span.end(startedMs + tookMs);
}

/** Stages are consecutive: each starts when the previous one ended. */
function traceSearch(
  tracer: Tracer,
  context: Context,
  { operation, startedMs, tookMs, stages, degraded }: SearchFacts,
): void {
  const attributes: Attributes = { 'errata.degraded': [...degraded] };
  const span = tracer.startSpan(operation, { startTime: startedMs, attributes }, context);
  const within = trace.setSpan(context, span);
  let atMs = startedMs;
  for (const stage of stages) {
    const part = tracer.startSpan(stage.stage, { startTime: atMs }, within);
    atMs += stage.tookMs;
    part.end(atMs);
  }
  span.end(startedMs + tookMs);
}
