import { contactId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { ContactId } from '@mp/ids';
import { z } from 'zod';
import { RunState } from '../runs/run-view.ts';
import { StepId } from '../workflows/step-id.ts';
import type { Simulated } from './simulate.ts';

/** One thing that simulated runs must do. */
export const Expectation = z
  .strictObject({
    contact_id: contactId.min(1).max(100).optional().describe('The contact that this must be true of. Default: all.'),
    step_id: StepId.optional().describe('The run passes through this step.'),
    passes: z.boolean().default(true).describe('false: the run does not pass through the step.'),
    status: renamedFrom('state', RunState.optional().describe('The run ends with this status, or has it at the end of the simulation.')),
    reason: z.string().max(200).optional().describe('The run ends for this reason.'),
  })
  .refine(({ step_id, status, reason }) => [step_id, status, reason].some((one) => one !== undefined), {
    path: ['step_id'],
    message: 'expected at least one of step_id, status and reason',
  })
  .meta({ id: 'WorkflowExpectation' });
export type Expectation = z.output<typeof Expectation>;

type Played = { contactId: ContactId | undefined; simulated: Simulated };

/** Why an expectation is not met; undefined if it is. */
export function unmet({ contact_id, step_id, passes, status, reason }: Expectation, played: readonly Played[]): string | undefined {
  const meant = played.filter(({ contactId }) => contact_id === undefined || contactId === contact_id);
  if (meant.length === 0) return `The simulation has no contact ${contact_id}.`;
  for (const { contactId, simulated } of meant) {
    const { run, log } = simulated;
    const whose = contactId === undefined ? 'The run' : `The run of ${contactId}`;
    const passed = log.some(({ step }) => step === step_id);
    if (step_id !== undefined && passed !== passes) return `${whose} ${passed ? 'passes' : 'does not pass'} through ${step_id}.`;
    if (status !== undefined && run.state !== status) return `${whose} is ${run.state}, not ${status}.`;
    if (reason !== undefined && run.reason !== reason) return `${whose} has the reason ${run.reason ?? 'null'}, not ${reason}.`;
  }
  return undefined;
}
