import { type Context, context, isSpanContextValid, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    trace?: { span: Span; within: Context };
  }
}

/** Without a collector, spans are OpenTelemetry's no-op spans and cost almost nothing. */
const tracer = trace.getTracer('marketing-platform');

/** version, trace id, span id, flags; all zeros mean none (W3C Trace Context §3.2). */
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})$/;

/** The `traceparent` of the active span, to pass on in requests and events; undefined when nothing is traced. */
export function traceparent(): string | undefined {
  const span = trace.getSpanContext(context.active());
  if (!span || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

function continuing(parent: unknown): Context {
  const [, traceId, spanId, flags] = (typeof parent === 'string' && traceparentPattern.exec(parent)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
}

/** The trace id of a `traceparent`. */
export const traceIdOf = (parent: unknown): string | undefined =>
  typeof parent === 'string' ? traceparentPattern.exec(parent)?.[1] : undefined;

type Kind = 'server' | 'client' | 'consumer' | 'producer';
const kinds: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
};

type SpanOptions = {
  kind: Kind;
  /** The caller's traceparent; the active span if omitted. */
  parent?: unknown;
  attributes?: Record<string, string | number>;
};

/** Runs the work in a new span, which ends with it and records its failure. */
export function inSpan<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result> {
  const { kind, attributes = {} } = options;
  const within = 'parent' in options ? continuing(options.parent) : context.active();
  return tracer.startActiveSpan(name, { kind: kinds[kind], attributes }, within, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

function failed(span: Span, error: unknown) {
  if (error instanceof Error) span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Adds a span to each request, from its first hook to its response. It is active in everything the route does. */
export function traceRequests(app: FastifyInstance) {
  app.addHook('onRequest', (request, _, done) => {
    const { method, url } = request;
    const route = request.routeOptions.url ?? 'none';
    const parent = continuing(request.headers.traceparent);
    const attributes = { 'http.request.method': method, 'http.route': route, 'url.path': url.split('?', 1)[0] ?? url };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    const within = trace.setSpan(parent, span);
    request.trace = { span, within };
    context.with(within, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.trace?.span.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) request.trace?.span.setStatus({ code: SpanStatusCode.ERROR });
    request.trace?.span.end();
    done();
  });
  app.addHook('onError', (request, _, error, done) => {
    if (request.trace) failed(request.trace.span, error);
    done();
  });
}

/** Runs the work with the span of the request as the active one. */
export const inRequestSpan = <Result>({ trace: active }: FastifyRequest, work: () => Result): Result =>
  active ? context.with(active.within, work) : work();

/** Sends the spans of this process to an OTLP/HTTP collector in batches until it is stopped. */
export async function startTraces(service: string, endpoint: string, ratio: number) {
  // Imported on demand, because it is not needed without a collector.
  const [sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'marketing-platform' }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return { stop: () => provider.shutdown() };
}
