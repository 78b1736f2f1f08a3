import type { StoredRun } from '../runs/runs-store.ts';

const whole = /^\{\{\s*([\w.-]+)\s*\}\}$/;
const within = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * The body of a webhook: the one of the step with its placeholders filled, or who, what and where in one object. A text
 * that is nothing but a placeholder becomes the value with its type.
 */
export function fillBody(body: unknown, run: StoredRun, key: string): unknown {
  const values = new Map<string, unknown>([
    ['contact.id', run.contact_id],
    ['run.id', run.id],
    ['workflow.id', run.workflow_id],
    ...Object.entries(run.data).map(([name, value]) => [`data.${name}`, value] as const),
  ]);
  if (body === undefined) {
    const { id, workflow_id, workflow_name, contact_id, step, data } = run;
    return { id: key, run_id: id, workflow_id, workflow_name, contact_id, step_id: step, data };
  }
  return fill(body, values);
}

function fill(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') {
    const [, only] = whole.exec(value) ?? [];
    if (only !== undefined) return values.get(only) ?? null;
    return value.replace(within, (_, name: string) => textOf(values.get(name)));
  }
  if (Array.isArray(value)) return value.map((member) => fill(member, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, values)]));
}

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value ?? '') : String(value ?? ''));
