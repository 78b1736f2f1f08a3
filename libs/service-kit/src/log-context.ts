import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { AccountId } from '@mp/ids';
import { context, isSpanContextValid, trace } from '@opentelemetry/api';

/** The request, event or job in progress, as named in each log line written during it. */
export type LogContext = {
  request_id?: string;
  account_id?: AccountId;
  trace_id?: string;
  event_id?: string;
  consumer?: string;
};

/** `response`: that of the request in progress, which closes when its caller leaves. */
type Context = { fields: LogContext; response?: ServerResponse | undefined };

const storage = new AsyncLocalStorage<Context>();

/** Runs the work with these fields in each of its log lines, in addition to those of the caller. */
export const withLogContext = <Result>(fields: LogContext, work: () => Result): Result =>
  storage.run({ response: storage.getStore()?.response, fields: { ...storage.getStore()?.fields, ...fields } }, work);

/** Runs the work with exactly this context, which may change until the work ends. */
export const inLogContext = <Result>(fields: LogContext, work: () => Result, response?: ServerResponse): Result =>
  storage.run({ fields, response }, work);

/** Adds fields to the log lines of the work in progress, such as the account of a job that a runner has claimed. */
export function noteInLogs(fields: LogContext) {
  const current = storage.getStore();
  if (current) Object.assign(current.fields, fields);
}

/** The id of the request in progress, to pass on to other services. */
export const currentRequestId = () => storage.getStore()?.fields.request_id;

const signals = new WeakMap<ServerResponse, AbortSignal>();

/**
 * Aborted when the caller of the request in progress leaves, or has its response; undefined outside of requests. Fastify's own signal
 * is aborted as soon as the body has been read.
 */
export function callerSignal(): AbortSignal | undefined {
  const response = storage.getStore()?.response;
  if (!response) return undefined;
  const known = signals.get(response);
  if (known) return known;
  const leaving = new AbortController();
  if (response.closed) leaving.abort();
  else response.once('close', () => leaving.abort());
  signals.set(response, leaving.signal);
  return leaving.signal;
}

/** The fields for a log line. The active span is more specific than the trace that a request or an event named. */
export function logFields(): LogContext & { span_id?: string } {
  const span = trace.getSpanContext(context.active());
  const traced = span && isSpanContextValid(span) && { trace_id: span.traceId, span_id: span.spanId };
  return { ...storage.getStore()?.fields, ...traced };
}
