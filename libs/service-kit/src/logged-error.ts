type LoggedError = { type: string; message: string; stack?: string; cause?: unknown; errors?: unknown[]; [member: string]: unknown };

/** What of an error's own members says what happened, and never to whom. */
const members = ['code', 'codeName', 'syscall', 'address', 'port', 'statusCode', 'validationContext'] as const;

const deepest = 8;
const mostErrors = 10;

/**
 * What the log keeps of an error. MongoDB's E11000 repeats the value that is there already, such as an e-mail, at the end
 * of its message and in its members, and a failed write in bulk carries whole documents: that end is cut off, and only
 * named members are kept, of every cause too.
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
  if (depth === deepest) return logged;
  if (error.cause !== undefined) logged.cause = loggedError(error.cause, depth + 1);
  if (error instanceof AggregateError) logged.errors = error.errors.slice(0, mostErrors).map((one) => loggedError(one, depth + 1));
  return logged;
}

const cutOff = 'dup key: [redacted]';

/** A message without the value that is there already. */
export const withoutValues = (text: string) => text.replace(/dup key:.*/s, cutOff);
