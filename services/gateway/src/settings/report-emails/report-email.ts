import { campaignId, workflowId } from '@mp/contracts/ids';
import { PlannedMoment } from '@mp/contracts/moment';
import { type AccountId, type CampaignId, type Id, newId, type PrincipalId, type WorkflowId } from '@mp/ids';
import { dayIn, firstInstantOf } from '@mp/rules/calendar';
import { dayMs } from '@mp/rules/duration';
import { z } from 'zod';

type ReportEmailId = Id<'reportEmail'>;

/** The maximum of report emails per account that are still to be sent. */
export const maxReportEmails = 100;
const maxReceivers = 50;

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

const Weekly = z
  .strictObject({
    weekday: z.enum(weekdays).describe('The day of the week.'),
    time: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day such as 08:00')
      .describe('The time of day, such as `08:00`.'),
  })
  .meta({ id: 'WeeklyTime' });
type Weekly = z.output<typeof Weekly>;

const receivers = z
  .array(z.string().max(64))
  .min(1)
  .max(maxReceivers)
  .refine((ids) => new Set(ids).size === ids.length, 'expected each user once')
  .describe('The users of the account who get the report.');
const sendAt = PlannedMoment.describe('Send it once, at this time; immediately if it has passed. Either this or `weekly`.');
const weekly = Weekly.describe('Send it every week at this time, in the time zone of the account. Either this or `send_at`.');

export const CreateReportEmailBody = z
  .strictObject({
    campaign_id: campaignId.max(64).optional().describe('The campaign whose report is sent. Either this or `workflow_id`.'),
    workflow_id: workflowId.max(64).optional().describe('The workflow whose report is sent. Either this or `campaign_id`.'),
    user_ids: receivers,
    send_at: sendAt.optional(),
    weekly: weekly.optional(),
  })
  .refine(({ campaign_id, workflow_id }) => (campaign_id === undefined) !== (workflow_id === undefined), {
    ...{ path: ['campaign_id'], message: 'expected either campaign_id or workflow_id' },
  })
  .refine(({ send_at, weekly: often }) => (send_at === undefined) !== (often === undefined), {
    ...{ path: ['send_at'], message: 'expected either send_at or weekly' },
  });

/** A report that is emailed to users of the account. */
export const ReportEmail = z
  .object({
    id: z.string().describe('The ID of the report email.'),
    campaign_id: z.string().nullable().describe('The campaign whose report is sent; null for a workflow.'),
    workflow_id: z.string().nullable().describe('The workflow whose report is sent; null for a campaign.'),
    user_ids: z.array(z.string()).describe('The users who get it. Users who stop it, or leave the account, are removed.'),
    send_at: z.iso.datetime().nullable().describe('When it is sent once; null if it is sent weekly.'),
    weekly: Weekly.nullable().describe('When it is sent every week, in the time zone of the account; null if it is sent once.'),
    next_send_at: z.iso.datetime().nullable().describe('When it is sent next; null once it was sent for the last time.'),
    last_sent_at: z.iso.datetime().nullable().describe('When the mail server last accepted it for a user; null if never.'),
    last_failure: z.string().nullable().describe('Why it could last not be sent to a user; null after it was sent.'),
    created_by: z.string().nullable().describe('The API key, OAuth client or user that created it.'),
    revision: z.number().int().describe('Increases with every change; also sent as the `ETag`.'),
    created_at: z.iso.datetime().describe('When it was created.'),
    updated_at: z.iso.datetime().describe('When it was last changed.'),
  })
  .meta({ id: 'ReportEmail' });
export type ReportEmail = z.output<typeof ReportEmail>;

const { user_ids: _, send_at: __, weekly: ___, ...readOnly } = ReportEmail.shape;
export const readOnlyFields = Object.keys(readOnly);

export const UpdateReportEmailBody = z.strictObject({
  ...z.object(readOnly).partial().shape,
  user_ids: receivers.optional(),
  send_at: sendAt.nullable().optional(),
  weekly: weekly.nullable().optional(),
});

export type ReportEmailRow = {
  id: ReportEmailId;
  account_id: AccountId;
  campaign_id: CampaignId | null;
  workflow_id: WorkflowId | null;
  user_ids: string[];
  send_at: Date | null;
  weekly: Weekly | null;
  next_send_at: Date | null;
  last_sent_at: Date | null;
  last_failure: string | null;
  created_by: PrincipalId;
  revision: number;
  created_at: Date;
  updated_at: Date;
};

/** The first time after `now` at which clocks in the zone show this weekday and time. */
export function nextWeekly({ weekday, time }: Weekly, zone: string, now: Date): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const today = dayIn(zone, now.getTime());
  for (let ahead = 0; ; ahead += 1) {
    const day = today + ahead * dayMs;
    if (weekdays[new Date(day).getUTCDay()] !== weekday) continue;
    const at = firstInstantOf(day + (hours * 60 + minutes) * 60_000, zone);
    if (at > now.getTime()) return new Date(at);
  }
}

/** When the report is sent first. */
export const firstAt = ({ send_at, weekly: often }: Pick<ReportEmailRow, 'send_at' | 'weekly'>, zone: string, now: Date): Date | null =>
  often ? nextWeekly(often, zone, now) : send_at;

type New = Pick<ReportEmailRow, 'account_id' | 'campaign_id' | 'workflow_id' | 'user_ids' | 'send_at' | 'weekly' | 'created_by'>;

export const newReportEmail = (fields: New, zone: string, now: Date): ReportEmailRow => ({
  ...{ id: newId('reportEmail'), ...fields, next_send_at: firstAt(fields, zone, now) },
  ...{ last_sent_at: null, last_failure: null, revision: 1, created_at: now, updated_at: now },
});

export const reportEmailView = ({ account_id: ____, ...row }: ReportEmailRow): ReportEmail => ({
  ...row,
  send_at: row.send_at?.toISOString() ?? null,
  next_send_at: row.next_send_at?.toISOString() ?? null,
  last_sent_at: row.last_sent_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** What the audit log keeps of it. */
export const auditedReportEmail = ({ campaign_id, workflow_id, user_ids, send_at, weekly: often }: ReportEmailRow) => ({
  ...(campaign_id === null ? { workflow_id } : { campaign_id }),
  user_ids,
  ...(often ? { weekly: often } : { send_at: send_at?.toISOString() ?? null }),
});
