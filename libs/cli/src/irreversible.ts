import { z } from 'zod';
import type { Given } from './call-operation.ts';
import type { CommandDescription } from './command-description.ts';
import { contentOf, isStandardInput, parseJson } from './read-values.ts';

const irreversible = /^(cancel|delete|erase|remove|revoke)\b/;

/** Whether what the operation does cannot be undone, or only with effort. */
export const isIrreversible = ({ method, words }: CommandDescription): boolean =>
  method === 'DELETE' || irreversible.test(words.at(-1) ?? '');

/** Whether that depends on the action that the caller names. */
export const hasIrreversibleAction = ({ flags }: CommandDescription): boolean =>
  flags.some(({ name, choices }) => name === 'action' && choices?.some((choice) => irreversible.test(choice)));

const Acting = z.object({ action: z.unknown().optional(), dry_run: z.unknown().optional() });

/** The fields of `--body` that count here. Nothing for a body from standard input, or one that the call rejects. */
async function fieldsOf(body: string | true | undefined): Promise<z.infer<typeof Acting>> {
  if (typeof body !== 'string' || isStandardInput(body)) return {};
  try {
    return Acting.parse(parseJson(await contentOf(body), '--body'));
  } catch {
    return {};
  }
}

/** The action of the call, if the operation has several and this one cannot be undone. */
export async function irreversibleAction(description: CommandDescription, given: Given): Promise<string | undefined> {
  if (!hasIrreversibleAction(description)) return undefined;
  const fields = await fieldsOf(given.body);
  const { action = fields.action, 'dry-run': dryRun = fields.dry_run } = given;
  return typeof action === 'string' && irreversible.test(action) && String(dryRun) !== 'true' ? action : undefined;
}
