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

const storage = new AsyncLocalStorage<LogContext>();

/** Runs the work with these fields in each of its log lines, in addition to those of the caller. */
export const withLogContext = <Result>(fields: LogContext, work: () => Result): Result =>
  storage.run({ ...storage.getStore(), ...fields }, work);

/** Runs the work with exactly this context, which may change until the work ends. */
export const inLogContext = <Result>(of: LogContext, work: () => Result): Result => storage.run(of, work);

/** Adds fields to the log lines of the work in progress, such as the account of a job that a runner has claimed. */
export function noteInLogs(fields: LogContext) {
  const current = storage.getStore();
  if (current) Object.assign(current, fields);
}

/** The id of the request in progress, to pass on to other services. */
export const currentRequestId = () => storage.getStore()?.request_id;

/** The fields for a log line. The active span is more specific than the trace that a request or an event named. */
export function logFields(): LogContext & { span_id?: string } {
  const span = trace.getSpanContext(context.active());
  const traced = span && isSpanContextValid(span) && { trace_id: span.traceId, span_id: span.spanId };
  return { ...storage.getStore(), ...traced };
}
