import { z } from 'zod';

/** The members of a segment that enter a workflow because its activation asked for it. */
export const Enrollment = z
  .object({
    created_at: z.iso.datetime(),
    status: z
      .enum(['running', 'completed', 'cancelled'])
      .describe('`cancelled`: the workflow was paused, archived or given another trigger before all members had entered.'),
    processed: z.number().int().describe('Members that have been processed, including those that started no run.'),
    started: z
      .number()
      .int()
      .nullable()
      .describe('Runs that have started; null if the trigger has a rule, which is then evaluated for each member.'),
    completed_at: z.iso.datetime().nullable().describe('When it was completed or cancelled; null until then.'),
  })
  .meta({ id: 'WorkflowEnrollment' });
export type Enrollment = z.output<typeof Enrollment>;
