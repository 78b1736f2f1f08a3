import { RequestFailed } from '../api/errors.ts';

/** Form fields by the path of the API's errors, where the two differ. */
export type FieldPaths = Readonly<Record<string, string>>;

type FieldErrors = {
  /** The first message for each field. */
  byField: Record<string, string>;
  /** The paths whose messages are shown at a field. */
  shown: string[];
};

/**
 * Assigns the details of an API error to the fields of a form. Form values have the shape of the request body, so
 * `/from/email` belongs to `from.email`, and an error inside a list to the field of that list.
 */
export function fieldErrors(error: Error | null, values: unknown, paths: FieldPaths = {}): FieldErrors {
  const byField: Record<string, string> = {};
  const shown: string[] = [];
  for (const { path, message } of error instanceof RequestFailed ? error.details : []) {
    const field = path === undefined ? undefined : fieldAt(path, values, paths);
    if (path === undefined || field === undefined || message === undefined) continue;
    byField[field] ??= message;
    shown.push(path);
  }
  return { byField, shown };
}

function fieldAt(path: string, values: unknown, paths: FieldPaths): string | undefined {
  const renamed = Object.keys(paths).find((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  if (renamed !== undefined) return paths[renamed];
  const names: string[] = [];
  let value = values;
  for (const name of path.split('/').slice(1)) {
    if (!isGroup(value) || !Object.hasOwn(value, name)) break;
    names.push(name);
    value = value[name];
  }
  return isGroup(value) ? undefined : names.join('.');
}

/** A group of fields does not have its own input to show an error at. */
const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
