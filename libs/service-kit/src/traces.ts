import { randomUUID } from 'node:crypto';
import { type Context, context, isSpanContextValid, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mongoInstrumentation } from './instrument.ts';
import { loggedPath } from './logged-path.ts';
import { version } from './version.ts';

declare module 'fastify' {
  interface FastifyRequest {
    trace?: { span: Span; within: Context; error?: unknown };
  }
}

/** Without a collector, spans are OpenTelemetry's no-op spans and cost almost nothing. */
const tracer = trace.getTracer('marketing-platform', version);

let started = false;

/** Whether spans are recorded, for work that is only needed then. */
export const isTracing = () => started;

/** The span of the work in progress. */
export const activeSpan = (): Span | undefined => trace.getActiveSpan();

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
  if (error instanceof Error) {
    span.recordException(error);
    span.setAttribute('error.type', error.name);
  }
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Names an HTTP server span by its route, and records its result (OpenTelemetry semantic conventions). */
export function describeRequest(span: Span, { method, route, status }: { method: string; route: string | undefined; status: number }) {
  if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
}

/** The attributes of a message of NATS. `operation` is what this span does with it. */
export const messaging = (operation: 'publish' | 'process', subject: string, messageId: string) => ({
  'messaging.system': 'nats',
  'messaging.operation.name': operation,
  'messaging.operation.type': operation === 'publish' ? 'send' : operation,
  'messaging.destination.name': subject,
  'messaging.message.id': messageId,
});

/** The attributes of a request over NATS; `rpc.contacts.page.v1` is the method `page` of the service `contacts`. */
export function rpc(subject: string) {
  const [, service = '', ...method] = subject.split('.');
  return { 'rpc.system': 'nats', 'rpc.service': service, 'rpc.method': method.slice(0, -1).join('.') };
}

/** Adds a span to each request, from its first hook to its response. It is active in everything the route does. */
export function traceRequests(app: FastifyInstance) {
  app.addHook('onRequest', (request, _, done) => {
    const { method, url } = request;
    if (url.startsWith('/health/')) return done();
    const parent = continuing(request.headers.traceparent);
    const attributes = { 'http.request.method': method, 'url.scheme': 'http', 'url.path': loggedPath(url) };
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    const within = trace.setSpan(parent, span);
    request.trace = { span, within };
    context.with(within, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, trace: traced } = request;
    if (!traced) return done();
    // What a caller did wrong is not an error of the server, and its message may quote the request.
    if (reply.statusCode >= 500 && traced.error !== undefined) failed(traced.span, traced.error);
    describeRequest(traced.span, { method, route: routeOptions.url, status: reply.statusCode });
    traced.span.end();
    done();
  });
  app.addHook('onError', (request, _, error, done) => {
    if (request.trace) request.trace.error = error;
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
    resource: resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'marketing-platform',
      'service.version': version,
      'service.instance.id': randomUUID(),
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  mongoInstrumentation?.setTracerProvider(provider);
  started = true;
  return { stop: () => provider.shutdown() };
}
