import type { StoredRun } from '../runs/run-document.ts';

const whole = /^\{\{\s*([^\s{}]+)\s*\}\}$/;
const within = /\{\{\s*([^\s{}]+)\s*\}\}/g;

/** The filled body would be too large. Thrown before the body is built, which could exhaust the memory. */
export class BodyTooLarge extends Error {}

/**
 * The body of a webhook: that of the step with its placeholders filled, or by default an object that describes the run.
 * A string that is a single placeholder becomes the value with its type. Throws BodyTooLarge when the values together
 * exceed `maxBytes`.
 */
export function fillBody(body: unknown, run: StoredRun, key: string, maxBytes: number): unknown {
  const known = { contact: { id: run.contact_id }, run: { id: run.id }, workflow: { id: run.workflow_id }, data: run.data };
  const taken = new Map<string, { value: unknown; bytes: number }>();
  let room = maxBytes;
  const take = (name: string) => {
    const found = taken.get(name) ?? weighed(fieldAt(known, name));
    taken.set(name, found);
    room -= found.bytes;
    if (room < 0) throw new BodyTooLarge();
    return found.value;
  };
  if (body === undefined) {
    const { id, workflow_id, workflow_name, contact_id, step, data } = run;
    return { id: key, run_id: id, workflow_id, workflow_name, contact_id, step_id: step, data };
  }
  return fill(body, take);
}

function fill(value: unknown, take: (name: string) => unknown): unknown {
  if (typeof value === 'string') {
    const [, only] = whole.exec(value) ?? [];
    if (only !== undefined) return take(only) ?? null;
    return value.replace(within, (_, name: string) => textOf(take(name)));
  }
  if (Array.isArray(value)) return value.map((member) => fill(member, take));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, take)]));
}

const weighed = (value: unknown) => ({ value, bytes: Buffer.byteLength(textOf(value)) });

/** The field at a path. Field names may contain dots, as the names of event properties do. */
function fieldAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(value));
  if (members.has(path)) return members.get(path);
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (members.has(name)) return fieldAt(members.get(name), path.slice(dot + 1));
  }
  return undefined;
}

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value ?? '') : String(value ?? ''));
