import { ConsentTopic, Email } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { namedSegment } from '@mp/contracts/ids';
import { Moment, Timezone } from '@mp/contracts/moment';
import { Line, Name } from '@mp/contracts/text';
import { isId, newId, type TemplateId } from '@mp/ids';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import { z } from 'zod';
import { AbTestBody, abTestOf, requireTracking } from '../ab-tests/ab-test-body.ts';
import { timezoneModes } from '../audience/local-time.ts';
import { requireOwnHtml } from '../content/templates/compile-content.ts';
import { contentFields } from '../content/templates/content-fields.ts';
import { StateCounts } from '../ledger/recipients/recipient.ts';
import { Campaign, Timing, templateFields } from './campaign.ts';
import { firstOverrides, nextOverrides } from './overrides.ts';

const email = z.string().trim().normalize('NFC').pipe(Email);

const utmValue = Name(200);

const included = z.string().refine((value) => value === 'all' || isId('segment', value), 'expected "all" or a segment ID');

/** The fields a caller may set. In an update, an omitted field keeps its value and null clears it. */
const writable = {
  name: Name(200).describe('The name of the campaign; recipients do not see it.'),
  channel: z.literal('email').describe('The channel, always `email`.'),
  ...contentFields,
  template_id: z
    .string()
    .refine((value) => isId('template', value), 'expected a template ID, such as template_01h…')
    .nullable()
    .describe(
      'The template that the content comes from, instead of `html`, `mjml` and `text`. Its version at the time the campaign is sent or scheduled is used.',
    ),
  overrides: z
    .array(z.enum(templateFields))
    .max(templateFields.length)
    .describe(
      'The fields that the campaign sets itself instead of taking them from its template. If omitted or unchanged, a field that the request sets to another value is added. Remove a field to take it from the template again; its value in the request is then ignored.',
    ),
  from: z
    .strictObject({
      email: email.describe('The address of the sender.'),
      name: Line(200).nullable().optional().describe('The name of the sender.'),
    })
    .describe('The sender.'),
  reply_to: email.nullable().describe('The address for replies; the address of the sender if null.'),
  utm: z
    .strictObject({
      source: utmValue.describe('`utm_source`.'),
      medium: utmValue.nullable().optional().describe('`utm_medium`; `email` if null.'),
      campaign: utmValue.nullable().optional().describe('`utm_campaign`; the name of the campaign if null.'),
      term: utmValue.nullable().optional().describe('`utm_term`; not added if null.'),
      content: utmValue.nullable().optional().describe('`utm_content`; not added if null.'),
    })
    .nullable()
    .describe('UTM parameters to add to links; null to add none. A link that already has one of them keeps its own value.'),
  audience: z
    .strictObject({
      include: z.array(included).min(1).max(100).describe('`all`, or segment IDs.'),
      exclude: z.array(namedSegment).max(100).optional().describe('Segments whose members are not emailed.'),
    })
    .describe('The segments the campaign is sent to.'),
  ab_test: AbTestBody.nullable().describe('The A/B test; null for none.'),
  holdout_percent: z
    .number()
    .int()
    .min(1)
    .max(90)
    .nullable()
    .describe(
      'The share of the audience that is not emailed, in percent, chosen at random; null for none. The report compares its conversions with those of the contacts that were emailed.',
    ),
  topic: ConsentTopic.nullable().describe(
    'The topic of the campaign; its unsubscribe link unsubscribes from this topic only. Null for none.',
  ),
  conversion: z
    .strictObject({
      event: Name(200).nullable().optional().describe('The name of the LeadPulse event; any event with a value if null.'),
      window_days: z
        .number()
        .int()
        .min(1)
        .max(90)
        .optional()
        .describe('The attribution window: for how many days after the last click an event is attributed to the email. Default: 7.'),
    })
    .nullable()
    .describe('What counts as a conversion; any event with a value, within 7 days, if null.'),
  timezone_mode: z
    .enum(timezoneModes)
    .describe(
      '`fixed` (the default): everyone gets the email at `schedule_at`. `recipient`: each contact gets it at the same local time, which `schedule_at` sets in `fallback_timezone`; such a campaign is always scheduled.',
    ),
  fallback_timezone: Timezone.nullable().describe(
    'The time zone in which `schedule_at` is read in `recipient` mode, and of contacts that have none. Required in `recipient` mode.',
  ),
  throttle_per_minute: z.number().int().min(1).max(1_000_000).nullable().describe('The maximum number of emails per minute.'),
  track: z
    .strictObject({ opens: z.boolean().describe('Whether to track opens.'), clicks: z.boolean().describe('Whether to track clicks.') })
    .partial()
    .describe('Whether to track opens (with an image) and clicks (with redirecting links); both are on by default.'),
};

/** Also while other fields are missing or wrong, so that a response names every problem. */
const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

export const CreateCampaignBody = z
  .strictObject(writable)
  .partial()
  .extend({ name: writable.name, from: writable.from, audience: writable.audience })
  .refine(({ subject, template_id }) => subject !== undefined || Boolean(template_id), {
    ...{ path: ['subject'], message: 'subject is required, unless the template has one.' },
    when,
  })
  .refine(({ html, mjml, text, template_id }) => Boolean(html || mjml || text || template_id), {
    ...{ path: ['html'], message: 'The email is empty; set html, mjml, text or template_id.' },
    when,
  });

/** A response of GET can be edited and sent back with PUT: read-only fields are accepted if they are unchanged. */
const readOnly = Campaign.pick({
  id: true,
  status: true,
  status_reason: true,
  template_version: true,
  audience_count: true,
  frozen_at: true,
  ab_result: true,
  started_at: true,
  completed_at: true,
  revision: true,
  created_at: true,
  updated_at: true,
});

export const UpdateCampaignBody = z
  .strictObject({
    ...writable,
    ...readOnly.shape,
    schedule_at: Moment.nullable().describe('When to start sending; can be changed while the status is `scheduled`.'),
    problem: Campaign.shape.problem.describe('Read-only and ignored.'),
    progress: StateCounts.nullable().describe('Read-only and ignored.'),
    timing: Timing.nullable().describe('Read-only and ignored.'),
  })
  .partial();

/** A draft before its content is compiled. */
export function newCampaign(body: z.output<typeof CreateCampaignBody>, now = new Date()): Campaign {
  requireOwnHtml(body);
  requireOneSource(body);
  const track = { opens: body.track?.opens ?? true, clicks: body.track?.clicks ?? true };
  const ab_test = abTestOf(body.ab_test);
  requireTracking(ab_test, track);
  const timezone = { timezone_mode: body.timezone_mode ?? 'fixed', fallback_timezone: body.fallback_timezone ?? null };
  requireTimezone({ ...timezone, ab_test });
  return {
    id: newId('campaign'),
    name: body.name,
    channel: 'email',
    status: 'draft',
    status_reason: null,
    problem: null,
    subject: body.subject ?? '',
    preview_text: body.preview_text || null,
    from: { email: body.from.email, name: body.from.name || null },
    reply_to: body.reply_to ?? null,
    template_id: body.template_id ?? null,
    template_version: null,
    overrides: firstOverrides(body),
    html: body.html ?? '',
    mjml: body.mjml || null,
    text: body.text || null,
    design: body.design ?? null,
    utm: utmOf(body.utm),
    audience: audienceOf(body.audience),
    throttle_per_minute: body.throttle_per_minute ?? null,
    ...timezone,
    track,
    ...{ ab_test, ab_result: null, conversion: conversionOf(body.conversion), topic: body.topic ?? null },
    holdout_percent: body.holdout_percent ?? null,
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

/** A new draft with the content, sender and audience of another campaign; `content` is what changes in its content. */
export const duplicateOf = (original: Campaign, name: string, content: Partial<Campaign>, now = new Date()): Campaign => ({
  ...original,
  ...{ id: newId('campaign'), name, status: 'draft', status_reason: null, problem: null, revision: 1 },
  ...content,
  ...{ ab_result: null, schedule_at: null, audience_count: null, frozen_at: null, started_at: null, completed_at: null },
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
});

/**
 * Returns the changed campaign before its content is compiled, or the same object if nothing changed. Throws
 * VALIDATION_ERROR if a read-only field was changed.
 */
export function changeCampaign(before: Campaign, body: z.output<typeof UpdateCampaignBody>, now = new Date()): Campaign {
  const fixed = before.status === 'scheduled' ? Object.keys(readOnly.shape) : [...Object.keys(readOnly.shape), 'schedule_at'];
  rejectReadOnlyChanges(body, before, fixed);
  if (before.status === 'scheduled' && body.schedule_at === null)
    throw invalid('/schedule_at', 'required', 'A scheduled campaign has a time; to make it a draft again, use POST …/unschedule.');
  const after: Campaign = {
    ...before,
    ...contentChange(before, body),
    overrides: nextOverrides(before, body),
    name: body.name ?? before.name,
    subject: body.subject ?? before.subject,
    preview_text: body.preview_text === undefined ? before.preview_text : body.preview_text || null,
    from: body.from
      ? { email: body.from.email, name: body.from.name === undefined ? before.from.name : body.from.name || null }
      : before.from,
    reply_to: body.reply_to === undefined ? before.reply_to : body.reply_to,
    utm: body.utm === undefined ? before.utm : utmOf(body.utm),
    audience: body.audience ? audienceOf({ exclude: before.audience.exclude, ...body.audience }) : before.audience,
    throttle_per_minute: body.throttle_per_minute === undefined ? before.throttle_per_minute : body.throttle_per_minute,
    track: { opens: body.track?.opens ?? before.track.opens, clicks: body.track?.clicks ?? before.track.clicks },
    ab_test: body.ab_test === undefined ? before.ab_test : abTestOf(body.ab_test),
    topic: body.topic === undefined ? before.topic : body.topic,
    holdout_percent: body.holdout_percent === undefined ? before.holdout_percent : body.holdout_percent,
    timezone_mode: body.timezone_mode ?? before.timezone_mode,
    fallback_timezone: body.fallback_timezone === undefined ? before.fallback_timezone : body.fallback_timezone,
    conversion: body.conversion === undefined ? before.conversion : conversionOf(body.conversion),
    schedule_at: body.schedule_at ? new Date(body.schedule_at).toISOString() : before.schedule_at,
  };
  requireTracking(after.ab_test, after.track);
  requireTimezone(after);
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  return { ...after, revision: before.revision + 1, updated_at: now.toISOString() };
}

/** Throws VALIDATION_ERROR unless the local times of a campaign in `recipient` mode are known. */
function requireTimezone({ timezone_mode, fallback_timezone, ab_test }: Pick<Campaign, 'timezone_mode' | 'fallback_timezone' | 'ab_test'>) {
  if (timezone_mode === 'fixed') return;
  if (fallback_timezone === null)
    throw invalid('/fallback_timezone', 'required', 'timezone_mode recipient needs a fallback_timezone, such as Europe/Berlin.');
  if (ab_test && ab_test.sample_percent < 100)
    throw invalid(
      '/timezone_mode',
      'not_with_sample',
      'The rest of an A/B test would get the winner a day late. Set sample_percent to 100, or timezone_mode to fixed.',
    );
}

/** The content of the changed campaign. Naming a template replaces the campaign's own content. */
function contentChange(before: Campaign, body: z.output<typeof UpdateCampaignBody>) {
  const template_id = body.template_id === undefined ? before.template_id : body.template_id;
  requireOneSource({ ...body, template_id }, before);
  if (template_id !== null) {
    const isSame = template_id === before.template_id;
    return isSame ? {} : { template_id, template_version: null, html: '', mjml: null, text: null, design: null };
  }
  requireOwnHtml(body, before);
  const mjml = body.mjml === undefined ? before.mjml : body.mjml || null;
  return {
    ...{ template_id, mjml, template_version: null },
    html: mjml === null ? (body.html ?? before.html) : before.html,
    text: body.text === undefined ? before.text : body.text || null,
    design: body.design === undefined ? before.design : body.design,
  };
}

type Sources = { template_id?: TemplateId | null | undefined } & { [Part in 'html' | 'mjml' | 'text']?: string | null | undefined };

/** Throws VALIDATION_ERROR for separate content beside a template. */
function requireOneSource(body: Sources, before?: Sources) {
  if (!body.template_id) return;
  for (const part of ['html', 'mjml', 'text'] as const) {
    if (body[part] && body[part] !== before?.[part])
      throw invalid(`/${part}`, 'not_both', `${part} is taken from the template; omit it, or set template_id to null.`);
  }
}

const conversionOf = (conversion: z.output<typeof writable.conversion> | undefined) =>
  conversion ? { event: conversion.event ?? null, window_days: conversion.window_days ?? 7 } : null;

const utmOf = (utm: z.output<typeof writable.utm> | undefined) =>
  utm
    ? {
        source: utm.source,
        medium: utm.medium ?? null,
        campaign: utm.campaign ?? null,
        term: utm.term ?? null,
        content: utm.content ?? null,
      }
    : null;

const audienceOf = ({ include, exclude = [] }: { include: readonly string[]; exclude?: readonly string[] | undefined }) => ({
  include: [...new Set(include)],
  exclude: [...new Set(exclude)],
});
