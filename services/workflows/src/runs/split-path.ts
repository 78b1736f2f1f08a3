import type { Step } from '../workflows/step.ts';
import type { Run } from './run.ts';
import { weightedChoice } from './weighted-choice.ts';

type Split = Step & { type: 'split' };

/**
 * The path of a contact at a split: always the same in one version of a workflow, and independent of the contact's path at
 * other splits.
 */
export function splitPath({ id, paths }: Split, { workflow_id, version, contact_id }: Pick<Run, 'workflow_id' | 'version' | 'contact_id'>) {
  const weights = paths.map(({ weight }) => weight);
  const index = weightedChoice([workflow_id, String(version), id, contact_id], weights);
  return { index, to: paths[index]?.to ?? null };
}
