import type { Contact } from '@mp/contracts/contact';
import type { StoredRun } from '../runs/run-document.ts';
import { runScope } from '../runs/run-scope.ts';
import { FilledTooLarge, fillPlaceholders } from '../workflows/placeholders.ts';

export { FilledTooLarge as BodyTooLarge };

/** A run whose webhook is called, with its contact if the body reads it. */
export type CallingRun = StoredRun & { contact?: Contact | null };

/**
 * The body of a webhook: that of the step with its placeholders filled, or by default an object that describes the run.
 * Throws BodyTooLarge when the values together exceed `maxBytes`.
 */
export function fillBody(body: unknown, run: CallingRun, key: string, maxBytes: number): unknown {
  if (body !== undefined) return fillPlaceholders(body, runScope(run, run.contact), maxBytes);
  const { id, workflow_id, workflow_name, contact_id, step, data } = run;
  return { id: key, run_id: id, workflow_id, workflow_name, contact_id, step_id: step, data };
}
