import { z } from 'zod';

/** Why a request for approval ended, or that it began. */
export const ApprovalChange = z.enum(['requested', 'approved', 'rejected', 'withdrawn']);
export type ApprovalChange = z.infer<typeof ApprovalChange>;

/** What an event says about a request for approval, beside the ID of what it is about. */
export const approvalChanged = {
  name: z.string(),
  change: ApprovalChange,
  revision: z.number().int().describe('The revision that the request is about.'),
  requested_by: z.string().describe('ID of the user, API key or OAuth client that requested approval.'),
  actor_id: z.string().describe('ID of the user, API key or OAuth client that made this change.'),
  comment: z.string().nullable().describe('What the approver wrote.'),
  schedule_at: z.iso.datetime().nullable().describe('When it would start; null for immediately.'),
  at: z.iso.datetime(),
};

/** A change of the setting that decides what needs approval. */
export const approvalSettingChanged = z.object({
  actor_id: z.string().describe('ID of the user that changed it.'),
  changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).describe('By setting.'),
});
