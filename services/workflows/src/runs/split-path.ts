import { createHash } from 'node:crypto';
import type { Step } from '../workflows/step.ts';
import type { Run } from './run.ts';

type Split = Step & { type: 'split' };

/**
 * The path of a contact at a split: always the same in one version of a workflow, and independent of the contact's path at
 * other splits.
 */
export function splitPath({ id, paths }: Split, { workflow_id, version, contact_id }: Pick<Run, 'workflow_id' | 'version' | 'contact_id'>) {
  const hash = createHash('sha256').update([workflow_id, version, id, contact_id].join('\n')).digest();
  const total = paths.reduce((sum, { weight }) => sum + weight, 0);
  let point = hash.readUIntBE(0, 6) % total;
  const index = paths.findIndex(({ weight }) => {
    point -= weight;
    return point < 0;
  });
  return { index, to: paths[index]?.to ?? null };
}
