import { type Logger, type LoggerOptions, pino } from 'pino';
import { logFields } from './log-context.ts';
import { loggedError } from './logged-error.ts';

export type { Logger };

/** Fields that may hold a secret or personal data. Explicit paths, because wildcards make pino up to twice as slow. */
const redacted = [
  'req.headers.authorization',
  'req.headers.cookie',
  'req.headers["x-mp-context"]',
  'headers.authorization',
  'headers.cookie',
  'email',
  'phone',
  'password',
  'secret',
  'token',
  'key',
];

/** Commands of a service that print their result on standard output; see `runCommand`. */
const printing = ['export-journal', 'export-account'];

/**
 * JSON lines on standard output, or on standard error for a command that prints its result. `service` names the process in every line; `request_id`, `account_id` and `trace_id` name the request,
 * event or job in progress.
 */
export const createLogger = (service: string, level: string): Logger =>
  pino(logSettings(service, level), pino.destination(printing.includes(process.argv[2] ?? '') ? 2 : 1));

/**
 * A logger for one line per request. It writes in the background and in batches of up to a fifth of a second; a crash may lose the
 * last one. While the reader of standard output stalls, it drops lines instead of filling the memory. Batches have at most 4 KiB,
 * which the kernel writes in one piece, so that they never mix with the lines of the other logger.
 */
export function createBatchedLogger(service: string, level: string): Logger {
  const output = pino.destination({ sync: false, minLength: maxAtomicBytes - 1_024, maxWrite: maxAtomicBytes, maxLength: 1_048_576 });
  let willFlush = false;
  let hasLines = false;
  const flushSoon = () => {
    if (willFlush) return;
    willFlush = true;
    setTimeout(() => {
      willFlush = false;
      output.flush();
    }, batchMs).unref();
  };
  // Not pino's `periodicFlush`, which writes five times a second even when there is no line. `flush` does nothing during a write, so
  // that the lines of that time are flushed after it.
  output.on('drain', () => {
    if (hasLines) flushSoon();
    hasLines = false;
  });
  const write = (line: string) => {
    output.write(line);
    hasLines = true;
    flushSoon();
  };
  return pino({ level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

const batchMs = 200;

/** PIPE_BUF of Linux. */
const maxAtomicBytes = 4_096;

export const logSettings = (service: string, level: string): LoggerOptions => ({
  level,
  base: { service },
  mixin: logFields,
  serializers: { err: (error: unknown) => loggedError(error) },
  redact: { paths: redacted, censor: '[redacted]' },
  timestamp: pino.stdTimeFunctions.isoTime,
});
