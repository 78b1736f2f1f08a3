import { AsyncLocalStorage } from 'node:async_hooks';
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

/** Both are of the request, event or job in progress. */
type Context = { fields: LogContext; caller?: Caller | undefined };

/** A request, as far as it says whether its caller is still there. */
type Caller = { raw: { destroyed: boolean }; signal: AbortSignal };

const storage = new AsyncLocalStorage<Context>();

/** Runs the work with these fields in each of its log lines, in addition to those of the caller. */
export const withLogContext = <Result>(fields: LogContext, work: () => Result): Result =>
  storage.run({ caller: storage.getStore()?.caller, fields: { ...storage.getStore()?.fields, ...fields } }, work);

/** Runs the work with exactly this context, which may change until the work ends. */
export const inLogContext = <Result>(fields: LogContext, work: () => Result, caller?: Caller): Result =>
  storage.run({ fields, caller }, work);

/** Adds fields to the log lines of the work in progress, such as the account of a job that a runner has claimed. */
export function noteInLogs(fields: LogContext) {
  const current = storage.getStore();
  if (current) Object.assign(current.fields, fields);
}

/** The id of the request in progress, to pass on to other services. */
export const currentRequestId = () => storage.getStore()?.fields.request_id;

/** Aborted when the caller of the request in progress has left; undefined outside of requests. */
export function callerSignal(): AbortSignal | undefined {
  const caller = storage.getStore()?.caller;
  return caller?.raw.destroyed ? AbortSignal.abort() : caller?.signal;
}

/** The fields for a log line. The active span is more specific than the trace that a request or an event named. */
export function logFields(): LogContext & { span_id?: string } {
  const span = trace.getSpanContext(context.active());
  const traced = span && isSpanContextValid(span) && { trace_id: span.traceId, span_id: span.spanId };
  return { ...storage.getStore()?.fields, ...traced };
}
