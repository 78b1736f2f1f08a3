import { Email } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { Line, Name } from '@mp/contracts/text';
import { isId, newId } from '@mp/ids';
import { z } from 'zod';
import { Campaign } from './campaign.ts';

const email = z.string().trim().normalize('NFC').pipe(Email);
const content = z.string().max(400_000);

const segmentId = z.string().refine((value) => isId('segment', value), 'expected a segment ID, such as segment_01h…');
const included = z.string().refine((value) => value === 'all' || isId('segment', value), 'expected "all" or a segment ID');

/** The fields a caller may set. In an update, an omitted field keeps its value and null clears it. */
const writable = {
  name: Name(200).describe('The name of the campaign; recipients do not see it.'),
  channel: z.literal('email').describe('The channel, always `email`.'),
  subject: Name(500).describe('A Liquid template over `contact`.'),
  preview_text: Line(250).nullable().describe('A Liquid template; mailboxes show it beside the subject.'),
  from: z
    .strictObject({
      email: email.describe('The address of the sender.'),
      name: Line(200).nullable().optional().describe('The name of the sender.'),
    })
    .describe('The sender.'),
  reply_to: email.nullable().describe('The address for replies; the address of the sender if null.'),
  html: content.min(1).describe('A Liquid template; values are HTML-escaped.'),
  text: content.nullable().describe('A Liquid template; generated from the HTML if omitted.'),
  audience: z
    .strictObject({
      include: z.array(included).min(1).max(100).describe('`all`, or segment IDs.'),
      exclude: z.array(segmentId).max(100).optional().describe('Segments whose members are not emailed.'),
    })
    .describe('The segments the campaign is sent to.'),
  throttle_per_minute: z.number().int().min(1).max(1_000_000).nullable().describe('The maximum number of emails per minute.'),
  track: z
    .strictObject({ opens: z.boolean().describe('Whether to track opens.'), clicks: z.boolean().describe('Whether to track clicks.') })
    .partial()
    .describe('Whether to track opens (with an image) and clicks (with redirecting links); both are on by default.'),
};

export const CreateCampaignBody = z
  .strictObject(writable)
  .partial({ channel: true, preview_text: true, reply_to: true, text: true, throttle_per_minute: true, track: true });

/** A response of GET can be edited and sent back with PUT: read-only fields are accepted if they are unchanged. */
const readOnly = Campaign.pick({
  id: true,
  status: true,
  status_reason: true,
  schedule_at: true,
  audience_count: true,
  frozen_at: true,
  started_at: true,
  completed_at: true,
  revision: true,
  created_at: true,
  updated_at: true,
});

export const UpdateCampaignBody = z.strictObject({ ...writable, ...readOnly.shape, progress: z.null() }).partial();

export function newCampaign(body: z.output<typeof CreateCampaignBody>, now = new Date()): Campaign {
  return {
    id: newId('campaign'),
    name: body.name,
    channel: 'email',
    status: 'draft',
    status_reason: null,
    subject: body.subject,
    preview_text: body.preview_text || null,
    from: { email: body.from.email, name: body.from.name || null },
    reply_to: body.reply_to ?? null,
    html: body.html,
    text: body.text || null,
    audience: audienceOf(body.audience),
    throttle_per_minute: body.throttle_per_minute ?? null,
    track: { opens: body.track?.opens ?? true, clicks: body.track?.clicks ?? true },
    schedule_at: null,
    audience_count: null,
    frozen_at: null,
    started_at: null,
    completed_at: null,
    revision: 1,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
}

/** Returns the changed campaign, or the same object if nothing changed. Throws VALIDATION_ERROR if a read-only field was changed. */
export function changeCampaign(before: Campaign, body: z.output<typeof UpdateCampaignBody>, now = new Date()): Campaign {
  const asked = new Map<string, unknown>(Object.entries(body));
  const had = new Map<string, unknown>(Object.entries(before));
  for (const name of Object.keys(readOnly.shape)) {
    if (asked.get(name) !== undefined && asked.get(name) !== had.get(name)) {
      throw invalid(`/${name}`, 'read_only', `${name} is read-only; omit it or send it unchanged (${JSON.stringify(had.get(name))}).`);
    }
  }
  const after: Campaign = {
    ...before,
    name: body.name ?? before.name,
    subject: body.subject ?? before.subject,
    preview_text: body.preview_text === undefined ? before.preview_text : body.preview_text || null,
    from: body.from
      ? { email: body.from.email, name: body.from.name === undefined ? before.from.name : body.from.name || null }
      : before.from,
    reply_to: body.reply_to === undefined ? before.reply_to : body.reply_to,
    html: body.html ?? before.html,
    text: body.text === undefined ? before.text : body.text || null,
    audience: body.audience ? audienceOf({ exclude: before.audience.exclude, ...body.audience }) : before.audience,
    throttle_per_minute: body.throttle_per_minute === undefined ? before.throttle_per_minute : body.throttle_per_minute,
    track: { opens: body.track?.opens ?? before.track.opens, clicks: body.track?.clicks ?? before.track.clicks },
  };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  return { ...after, revision: before.revision + 1, updated_at: now.toISOString() };
}

const audienceOf = ({ include, exclude = [] }: { include: readonly string[]; exclude?: readonly string[] | undefined }) => ({
  include: [...new Set(include)],
  exclude: [...new Set(exclude)],
});
