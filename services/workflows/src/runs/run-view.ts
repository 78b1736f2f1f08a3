import { contactId, runId, workflowId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { includedContact } from '@mp/service-kit/include-contacts';
import { z } from 'zod';
import { endedStates, type LogEntry, openStates } from './run.ts';
import type { StoredRun } from './run-document.ts';
import { wakeAtOf } from './wake-at.ts';

export const RunState = z.enum([...openStates, ...endedStates]);

/** A run as the API shows it. */
export const RunView = z
  .object({
    id: runId.describe('Opaque: `run_` and a time-ordered suffix.'),
    workflow_id: workflowId.describe('The workflow of the run.'),
    workflow_version: z.number().int().describe('The version of the workflow that the run started with.'),
    contact_id: contactId.describe('The contact of the run. After a merge, the surviving contact.'),
    contact: includedContact,
    status: renamedFrom(
      'state',
      RunState.describe('`active` and `waiting` runs are open; the others have ended, except that `failed` runs can be retried.'),
    ),
    reason: z.string().nullable().describe('Why the run exited or failed; the id of the goal of a converted run.'),
    step_id: z.string().nullable().describe('The current step, or the one at which the run ended; null after the last step.'),
    waiting_for: z
      .enum(['time', 'event', 'effect', 'answer', 'webhook', 'capacity'])
      .nullable()
      .describe(
        'A delay, quiet hours or the frequency cap (`time`), something that happens to the contact (`event`), an email or contact change (`effect`), rules or contact data (`answer`), a `webhook`, or until fewer than `max_concurrent` runs of the workflow are open (`capacity`).',
      ),
    wake_at: z.iso.datetime().nullable().describe('When the run continues automatically or retries.'),
    sequence: z.number().int().describe('Increases with every change of the run.'),
    trigger: z
      .object({
        type: z.string().describe('The type of the trigger, `api` for a trigger request, or `bulk` for a bulk job of contacts.'),
        event_id: z.string().nullable().describe('The event that started the run; null for a trigger request.'),
      })
      .describe('What started the run.'),
    data: z.record(z.string(), z.unknown()).describe('The data of the trigger request, or of the event that started the run.'),
    created_at: z.iso.datetime().describe('When the run started.'),
    ended_at: z.iso.datetime().nullable().describe('When the run ended; null while it is open.'),
  })
  .meta({ id: 'WorkflowRun' });

export const RunLogEntry = z.object({
  at: z.iso.datetime().describe('When this happened.'),
  sequence: z.number().int().describe('The `sequence` of the run after the change.'),
  step_id: z.string().nullable().describe('The step; null for the run as a whole.'),
  event: z.enum(['started', 'waiting', 'requested', 'repeated', 'done', 'skipped', 'taken', 'retried', 'moved', 'ended']),
  text: z.string().describe('A sentence that describes what happened.'),
  effect_key: z
    .string()
    .nullable()
    .describe('The key under which the effect is applied at most once; a webhook receives it as `webhook-id`.'),
});

export const RunWithLog = RunView.extend({
  responses: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .describe('What `webhook` steps captured, by step and name; emails read it as `responses`.'),
  log: z.array(RunLogEntry).describe('What happened, in order. Of a very long run, the latest 1,000 changes.'),
}).meta({ id: 'WorkflowRunWithLog' });

/** Earlier versions accepted an `until` later than an ISO 8601 date can express. */
const latest = Date.parse('9999-12-31T23:59:59.999Z');

const moment = (date: Date | null) => (date ? new Date(Math.min(date.getTime(), latest)).toISOString() : null);

export function runView(run: StoredRun): z.output<typeof RunView> {
  return {
    id: run.id,
    workflow_id: run.workflow_id,
    workflow_version: run.version,
    contact_id: run.contact_id,
    status: run.state,
    reason: run.reason,
    step_id: run.step,
    waiting_for: run.waiting?.for ?? null,
    wake_at: moment(wakeAtOf(run)),
    sequence: run.sequence,
    trigger: run.trigger,
    data: run.data,
    created_at: run.created_at.toISOString(),
    ended_at: run.ended_at?.toISOString() ?? null,
  };
}

type Move = { sequence: number; at: Date; entries: readonly LogEntry[] };

export const logView = (moves: readonly Move[]): z.output<typeof RunLogEntry>[] =>
  moves.flatMap(({ sequence, at, entries }) =>
    entries.map(({ step, what, detail, key }) => ({
      at: at.toISOString(),
      sequence,
      step_id: step,
      event: what,
      text: step === null ? detail : `${step}: ${detail}`,
      effect_key: key,
    })),
  );
