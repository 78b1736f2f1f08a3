import { type Logger, pino } from 'pino';

export type { Logger };

/** Fields that may carry a secret or a person's data; explicit paths, because wildcards cost up to half of pino's speed. */
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

/** JSON lines on standard output; `service` names the process in every line. */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    redact: { paths: redacted, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
