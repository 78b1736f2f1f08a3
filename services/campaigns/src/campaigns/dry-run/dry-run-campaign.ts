import type { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { campaignId, contactId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import type { AccountId, ContactId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { contactScope } from '@mp/templates/fields';
import type { RenderedMessage } from '@mp/templates/message';
import type { Templates } from '@mp/templates/templates';
import { z } from 'zod';
import { asVariant } from '../../ab-tests/ab-test.ts';
import { assignmentOf } from '../../audience/assignment.ts';
import type { AudiencePages } from '../../audience/audience-pages.ts';
import type { FindMailable } from '../../audience/contactables/mailable-contacts.ts';
import { isHeldOut } from '../../audience/hold-out.ts';
import { plannedTimes, zoneOf } from '../../audience/local-time.ts';
import type { RequireSegments } from '../../audience/require-segments.ts';
import type { RequireValidTemplates } from '../../content/templates/require-valid-templates.ts';
import { type FindWarnings, warnings } from '../../delivery/senders/require-sender.ts';
import { skipReasons } from '../../ledger/recipients/recipient.ts';
import type { RecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import type { Campaign } from '../campaign.ts';
import type { CampaignsStore } from '../campaigns-store.ts';
import type { WithTemplate } from '../content/with-template.ts';

type Deps = {
  campaigns: CampaignsStore;
  withTemplate: WithTemplate;
  audiencePages: AudiencePages;
  requireValidTemplates: RequireValidTemplates;
  requireSegments: RequireSegments;
  templates: Pick<Templates, 'renderSome'>;
  findMailable: FindMailable;
  findWarnings: FindWarnings;
  settings: Pick<SettingsStore, 'of'>;
  recipients: Pick<RecipientsStore, 'emailedSince'>;
  publicUrl: string;
  /** The time limit of a dry run. */
  budgetMs: number;
};

const samplesEach = 5;

/** The email is rendered for this many contacts, and after that for one in `sampleEvery`. */
const maxRendered = 10_000;
const sampleEvery = 100;

const Sample = z.object({
  contact_id: contactId.describe('The ID of the contact.'),
  email: z.string().nullable().describe('The address of the contact.'),
});

const DryRun = z
  .object({
    as_of: z.iso.datetime().describe('The time as of which the audience was read.'),
    exact: z.boolean().describe('Whether the whole audience was checked in time; if not, the counts cover the contacts that were.'),
    audience_count: z.number().int().describe('Contacts in the audience now.'),
    would_send: z.number().int().describe('Contacts that would be emailed.'),
    rendered: z
      .number()
      .int()
      .describe(
        `The number of contacts the email was rendered for: the first ${maxRendered}, and one in ${sampleEvery} after that. ` +
          'Template errors of the others are not predicted.',
      ),
    missing_fields: z
      .array(
        z.object({
          field: z.string().describe('The field, such as `contact.first_name`.'),
          count: z.number().int().describe('The number of contacts without a value.'),
        }),
      )
      .describe('Fields that the template uses and that are empty for some of the rendered contacts that would be emailed.'),
    skipped: z
      .array(
        z.object({
          reason: z.enum(skipReasons).describe('Why these contacts would not be emailed.'),
          count: z.number().int().describe('The number of contacts.'),
          samples: z
            .array(
              Sample.extend({ error: z.string().nullable().describe('Why the email cannot be rendered; only with `template_error`.') }),
            )
            .describe('Up to five of these contacts.'),
        }),
      )
      .describe('Contacts that would not be emailed, by reason.'),
    samples: z
      .array(
        Sample.extend({
          subject: z.string().nullable().describe('The rendered subject.'),
          html: z.string().nullable().describe('The rendered HTML.'),
          text: z.string().nullable().describe('The rendered text.'),
          missing_fields: z.array(z.string()).describe('Fields the template uses that have no value for this contact.'),
        }),
      )
      .describe('Up to five contacts that would be emailed, each with its rendered email.'),
    warnings,
    timezones: z
      .array(
        z.object({
          timezone: z.string().describe('The time zone; the fallback for contacts without one.'),
          count: z.number().int().describe('The number of contacts that would be emailed.'),
          send_at: z.iso.datetime().nullable().describe('When they would get the email; null without `schedule_at`.'),
          late_by_seconds: z
            .number()
            .int()
            .nullable()
            .describe(
              'How late that is, if it has already passed: these contacts would get the email immediately. 0 if it is in the future; null without `schedule_at`.',
            ),
        }),
      )
      .nullable()
      .describe('In `recipient` mode, when the contacts would get the email, by time zone; null in `fixed` mode.'),
  })
  .meta({ id: 'CampaignDryRun' });
type DryRun = z.infer<typeof DryRun>;
type SkipReason = DryRun['skipped'][number]['reason'];

/** Accumulates the counts and samples of a dry run. */
function newCount(fallback: string | null) {
  const skipped = new Map<SkipReason, DryRun['skipped'][number]>();
  const samples: DryRun['samples'] = [];
  const byTimezone = new Map<string, number>();
  const missing = new Map<string, number>();
  let [audienceCount, wouldSend] = [0, 0];
  return {
    skip(reason: SkipReason, contact_id: ContactId, email: string | null, error: string | null = null) {
      const group = skipped.get(reason) ?? { reason, count: 0, samples: [] };
      const sample = { contact_id, email, error };
      skipped.set(reason, { reason, count: group.count + 1, samples: [...group.samples, sample].slice(0, samplesEach) });
      audienceCount += 1;
    },
    send(contact: Contact, { subject, html, text, missing_fields }: Partial<RenderedMessage> = {}) {
      audienceCount += 1;
      wouldSend += 1;
      if (fallback !== null) {
        const zone = zoneOf(contact.timezone, fallback);
        byTimezone.set(zone, (byTimezone.get(zone) ?? 0) + 1);
      }
      for (const field of missing_fields ?? []) missing.set(field, (missing.get(field) ?? 0) + 1);
      if (samples.length < samplesEach && typeof html === 'string')
        samples.push({
          ...{ contact_id: contact.id, email: contact.email, html },
          ...{ subject: subject ?? null, text: text ?? null, missing_fields: missing_fields ?? [] },
        });
    },
    needsSamples: () => samples.length < samplesEach,
    byTimezone,
    result: () => ({
      audience_count: audienceCount,
      would_send: wouldSend,
      missing_fields: [...missing].map(([field, contacts]) => ({ field, count: contacts })).toSorted((a, b) => b.count - a.count),
      skipped: [...skipped.values()],
      samples,
    }),
  };
}

/** When the contacts of each time zone would get the email, earliest first; null in `fixed` mode. */
function timezonesOf(campaign: Campaign, byTimezone: ReadonlyMap<string, number>, now: Date): DryRun['timezones'] {
  if (campaign.timezone_mode === 'fixed') return null;
  const plannedIn = plannedTimes(campaign);
  return [...byTimezone]
    .map(([timezone, contacts]) => {
      const at = plannedIn(timezone);
      const lateBy = at ? Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000)) : null;
      return { timezone, count: contacts, send_at: at?.toISOString() ?? null, late_by_seconds: lateBy };
    })
    .sort((a, b) => (a.send_at ?? '').localeCompare(b.send_at ?? '') || a.timezone.localeCompare(b.timezone));
}

const heldOutOf = ({ id, holdout_percent }: Campaign, contactId: ContactId) =>
  holdout_percent !== null && isHeldOut(holdout_percent, id, contactId) ? ('held_out' as const) : undefined;

/** The variant that the contact gets. Those that wait for the winner are shown the first one. */
function variantOf({ id, ab_test }: Campaign, contactId: ContactId): string | undefined {
  if (!ab_test) return undefined;
  const assigned = assignmentOf(ab_test, id, contactId);
  return assigned === 'rest' ? ab_test.variants[0]?.id : assigned.variant;
}

export function dryRunCampaign(app: Server, deps: Deps) {
  const { campaigns, withTemplate, audiencePages, requireValidTemplates, requireSegments, templates, publicUrl, budgetMs } = deps;
  const { findMailable, findWarnings, settings, recipients } = deps;
  /** The accounts with a dry run in progress. One at a time: concurrent ones would only slow each other down. */
  const underWay = new Set<string>();

  async function dryRun(accountId: AccountId, campaign: Campaign, left: AbortSignal): Promise<DryRun> {
    const { audience, name } = campaign;
    const asOf = new Date();
    const { frequency_cap: cap } = await settings.of(accountId);
    const capSince = new Date(asOf.getTime() - (cap?.days ?? 0) * 86_400_000);
    const isOver = () => left.aborted || Date.now() - asOf.getTime() >= budgetMs;
    const count = newCount(campaign.timezone_mode === 'recipient' ? campaign.fallback_timezone : null);
    let [mailable, rendered, exact] = [0, 0, true];

    /** Which of these contacts have reached their frequency cap. */
    async function cappedOf(contactIds: readonly ContactId[]): Promise<ReadonlySet<string>> {
      if (!cap) return new Set();
      const emailed = await recipients.emailedSince(accountId, contactIds, capSince);
      return new Set([...emailed].flatMap(([id, emails]) => (emails >= cap.max_emails ? [id] : [])));
    }

    /** Renders the email for these contacts, each with its variant of an A/B test. */
    async function render(contacts: readonly Contact[]) {
      for (const [variant, its] of Map.groupBy(contacts, ({ id }) => variantOf(campaign, id))) {
        if (exact) await renderVersion(asVariant(campaign, variant), its);
        else for (const contact of its) count.send(contact);
      }
    }

    /** Renders one version of the email in chunks. Stops at the time limit, but not before the first chunk. */
    async function renderVersion({ subject, preview_text, html, text }: Campaign, contacts: readonly Contact[]) {
      const message = { accountId, templates: { subject, preview_text, html, text } };
      for (let done = 0; done < contacts.length; ) {
        const some = contacts.slice(done, count.needsSamples() ? done + samplesEach : undefined);
        const scopes = some.map((contact) => ({
          contact: contactScope(contact),
          campaign: { name },
          unsubscribe_url: `${publicUrl}/t/preview`,
        }));
        const results = await templates.renderSome({ ...message, scopes, textless: !count.needsSamples() });
        for (const [index, result] of results.entries()) {
          const contact = some[index];
          if (!contact) continue;
          const [problem] = result.problems;
          if (problem) count.skip('template_error', contact.id, contact.email, `${problem.path}: ${problem.message}`);
          else count.send(contact, result);
        }
        done += results.length;
        rendered += results.length;
        if (done < contacts.length && isOver()) {
          exact = false;
          for (const contact of contacts.slice(done)) count.send(contact);
          return;
        }
      }
    }

    for (let after: string | null = null; ; ) {
      const page = await audiencePages({ accountId, audience, asOf, after });
      const verdicts = await findMailable(accountId, page.contactIds, { keep: false, topic: campaign.topic });
      const capped = await cappedOf(page.contactIds);
      const toRender: Contact[] = [];
      for (const id of page.contactIds) {
        const { contact, reason: refused } = verdicts.get(id) ?? { contact: undefined, reason: 'deleted' as const };
        const reason = page.excluded.has(id) ? 'excluded' : (refused ?? (capped.has(id) ? 'frequency_cap' : heldOutOf(campaign, id)));
        if (reason || !contact) {
          count.skip(reason ?? 'deleted', id, contact?.email ?? null);
          continue;
        }
        mailable += 1;
        if (mailable <= maxRendered || mailable % sampleEvery === 0) toRender.push(contact);
        else count.send(contact);
      }
      await render(toRender);
      if (page.next === null || !exact) break;
      exact = !isOver();
      if (!exact) break;
      after = page.next;
    }
    const timezones = timezonesOf(campaign, count.byTimezone, asOf);
    const warned = await findWarnings(accountId, campaign);
    return { as_of: asOf.toISOString(), exact, rendered, ...count.result(), warnings: warned, timezones };
  }

  app.post(
    '/v2/campaigns/:id/dry-run',
    {
      config: { scope: 'campaigns:read', reads: true },
      schema: {
        operationId: 'dryRunCampaign',
        summary: 'Dry-run a campaign',
        description:
          'Returns what sending the campaign now would do: how many contacts would be emailed, how many would be skipped and why, and samples. ' +
          `Nothing is sent or saved. In an A/B test, each contact gets its variant; contacts that wait for the winner get the first one. The email is rendered for the first ${maxRendered} contacts and for a sample of the rest; \`rendered\` is the number of contacts it was rendered for. ` +
          'A dry run takes at most ten seconds; if the audience needs longer, `exact` is false. An account can run one at a time; a second one fails with 429.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        querystring: noQuery,
        body: z.strictObject({
          schedule_at: Moment.optional().describe("When sending would be scheduled; the campaign's `schedule_at` if omitted."),
        }),
        response: { 200: success(DryRun) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { schedule_at } = request.body;
      const current = await withTemplate(accountId, await campaigns.get(accountId, request.params.id));
      const campaign = schedule_at === undefined ? current : { ...current, schedule_at };
      await requireValidTemplates(accountId, campaign);
      await requireSegments(accountId, campaign.audience, { mayWait: false });
      if (underWay.has(accountId))
        throw new ApiError('RATE_LIMITED', 'Another dry run is in progress; wait until it has finished.', { retryAfter: 2 });
      underWay.add(accountId);
      const leaving = new AbortController();
      reply.raw.once('close', () => leaving.abort());
      try {
        return { success: true as const, data: await dryRun(accountId, campaign, leaving.signal) };
      } finally {
        underWay.delete(accountId);
      }
    },
  );
}
