type LoggedError = { type: string; message: string; stack?: string; cause?: unknown; errors?: unknown[]; [member: string]: unknown };

/** The properties of errors that describe the failure and never contain personal data. */
const members = ['code', 'codeName', 'syscall', 'address', 'port', 'statusCode', 'validationContext'] as const;

const maxDepth = 8;
const maxErrors = 10;

/**
 * An error as it is logged, without personal data. MongoDB's E11000 repeats the duplicate value, such as an email, at the end of its
 * message and in its properties, and a failed bulk write contains whole documents. So the end of the message is cut off, and only
 * the listed properties are kept, including for every cause.
 */
export function loggedError(error: unknown, depth = 0): unknown {
  if (typeof error === 'string') return withoutValues(error);
  if (typeof error !== 'object' || error === null) return error;
  const type = error.constructor?.name ?? 'Object';
  if (!(error instanceof Error)) return { type };
  const own = new Map<string, unknown>(Object.entries(error));
  const logged: LoggedError = { type, message: withoutValues(error.message) };
  if (error.stack !== undefined) logged.stack = error.stack.replace(error.message, () => logged.message).replace(/dup key:.*/g, cutOff);
  for (const name of members) if (own.has(name)) logged[name] = own.get(name);
  if (depth === maxDepth) return logged;
  if (error.cause !== undefined) logged.cause = loggedError(error.cause, depth + 1);
  if (error instanceof AggregateError) logged.errors = error.errors.slice(0, maxErrors).map((one) => loggedError(one, depth + 1));
  return logged;
}

const cutOff = 'dup key: [redacted]';

/** A message without the duplicate value. */
export const withoutValues = (text: string) => text.replace(/dup key:.*/s, cutOff);
