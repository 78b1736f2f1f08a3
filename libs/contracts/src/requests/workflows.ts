import { z } from 'zod';
import { EmailFigures } from '../email-figures.ts';
import { accountId, contactId, workflowId } from '../ids.ts';
import { lanes } from '../lanes.ts';
import { defineRequest } from '../request.ts';

export const WorkflowRunsStart = defineRequest({
  name: 'workflows.start_runs',
  version: 1,
  meaning:
    'Starts a run of a workflow for each of these contacts, subject to its entry policy, and returns a result for each, in the order given. ' +
    '`refused` says why none can start, such as for a paused workflow. A repeated request by the same `by` has the same results and starts ' +
    'no second run. With `dry_run` it starts none.',
  request: z.object({
    account_id: accountId,
    workflow_id: workflowId,
    contact_ids: z.array(contactId).max(1_000),
    by: z.string().describe('What starts the runs: the ID of a bulk job.'),
    lane: z.enum(lanes).describe('The lane of the events that the runs cause.'),
    dry_run: z.boolean(),
  }),
  reply: z.object({
    refused: z.string().nullable(),
    senders: z.array(z.string()).default([]).describe('The addresses that its emails come from. Absent from replies of earlier releases.'),
    items: z.array(z.object({ contact_id: contactId, status: z.enum(['started', 'not_admitted', 'not_found']) })),
  }),
});

export const WorkflowReport = defineRequest({
  name: 'workflows.report',
  version: 1,
  meaning: 'The report of a workflow in a few numbers, with the steps that sent emails; null if the account has no workflow with this ID.',
  request: z.object({ account_id: accountId, workflow_id: workflowId }),
  reply: z.object({
    report: z
      .object({
        name: z.string(),
        status: z.string(),
        entered: z.number().int(),
        completed: z.number().int(),
        converted: z.number().int(),
        emails: EmailFigures,
        steps: z.array(z.object({ name: z.string(), entered: z.number().int(), emails: EmailFigures })),
        as_of: z.iso.datetime(),
      })
      .nullable(),
  }),
});
