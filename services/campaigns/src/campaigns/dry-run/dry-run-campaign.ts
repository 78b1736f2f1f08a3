import type { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { campaignId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import type { AccountId, ContactId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { contactScope } from '@mp/templates/fields';
import type { Templates } from '@mp/templates/templates';
import { z } from 'zod';
import { asVariant } from '../../ab-tests/ab-test.ts';
import type { AudiencePages } from '../../audience/audience-pages.ts';
import type { FindMailable } from '../../audience/contactables/mailable-contacts.ts';
import { isHeldOut } from '../../audience/hold-out.ts';
import type { RequireSegments } from '../../audience/require-segments.ts';
import { assignmentOf } from '../../audience/variant-assignment.ts';
import type { RequireValidTemplates } from '../../content/templates/require-valid-templates.ts';
import { emailsUnderCap, frequencyCap, isCapped } from '../../ledger/recipients/frequency-cap.ts';
import type { RecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import type { Campaign } from '../campaign.ts';
import type { FindWarnings } from '../campaign-warnings.ts';
import type { CampaignsStore } from '../campaigns-store.ts';
import type { ConsentWarnings } from '../consent-warnings.ts';
import type { CouponWarnings } from '../coupon-warnings.ts';
import type { WithTemplate } from '../with-template.ts';
import { DryRun, maxRendered, sampleEvery, samplesEach } from './dry-run.ts';
import { createDryRunCounts, timezonesOf } from './dry-run-counts.ts';

type Deps = {
  campaigns: CampaignsStore;
  withTemplate: WithTemplate;
  audiencePages: AudiencePages;
  requireValidTemplates: RequireValidTemplates;
  requireSegments: RequireSegments;
  templates: Pick<Templates, 'renderSome'>;
  findMailable: FindMailable;
  findWarnings: FindWarnings;
  couponWarnings: Pick<CouponWarnings, 'needsOf' | 'warningsOf'>;
  consentWarnings: Pick<ConsentWarnings, 'count' | 'warningsOf'>;
  settings: Pick<SettingsStore, 'of'>;
  recipients: Pick<RecipientsStore, 'emailedSince'>;
  publicUrl: string;
  /** The time limit of a dry run. */
  budgetMs: number;
};

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
  const { findMailable, findWarnings, couponWarnings, consentWarnings, settings, recipients } = deps;
  /** The accounts with a dry run in progress. One at a time: concurrent ones would only slow each other down. */
  const inFlight = new Set<string>();

  async function dryRun(accountId: AccountId, campaign: Campaign, left: AbortSignal): Promise<DryRun> {
    const { audience, name } = campaign;
    const asOf = new Date();
    const { frequency_cap: cap } = await settings.of(accountId);
    const isOver = () => left.aborted || Date.now() - asOf.getTime() >= budgetMs;
    const count = createDryRunCounts(campaign.timezone_mode === 'recipient' ? campaign.fallback_timezone : null);
    const codes = await couponWarnings.needsOf(accountId, campaign);
    let [mailable, rendered, withOldConsent, exact] = [0, 0, 0, true];

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
      const emailed = await emailsUnderCap(recipients, { accountId, contactIds: page.contactIds, cap, now: asOf });
      const [toEmail, toRender]: [Contact[], Contact[]] = [[], []];
      for (const id of page.contactIds) {
        const { contact, reason: refused } = verdicts.get(id) ?? { contact: undefined, reason: 'deleted' as const };
        const reason = page.excluded.has(id)
          ? 'excluded'
          : (refused ?? (isCapped(cap, emailed.get(id) ?? 0) ? frequencyCap : heldOutOf(campaign, id)));
        if (reason || !contact) {
          count.skip(reason ?? 'deleted', id, contact?.email ?? null);
          continue;
        }
        mailable += 1;
        codes.add(id);
        toEmail.push(contact);
        if (mailable <= maxRendered || mailable % sampleEvery === 0) toRender.push(contact);
        else count.send(contact);
      }
      withOldConsent += await consentWarnings.count(accountId, toEmail, campaign.topic, asOf);
      await render(toRender);
      if (page.next === null || !exact) break;
      exact = !isOver();
      if (!exact) break;
      after = page.next;
    }
    const timezones = timezonesOf(campaign, count.byTimezone, asOf);
    const warned = [
      ...(await findWarnings(accountId, campaign)),
      ...(await couponWarnings.warningsOf(accountId, codes, exact)),
      ...consentWarnings.warningsOf(withOldConsent, exact),
    ];
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
      if (inFlight.has(accountId))
        throw new ApiError('RATE_LIMITED', 'Another dry run is in progress; wait until it has finished.', { retryAfter: 2 });
      inFlight.add(accountId);
      const leaving = new AbortController();
      reply.raw.once('close', () => leaving.abort());
      try {
        return { success: true as const, data: await dryRun(accountId, campaign, leaving.signal) };
      } finally {
        inFlight.delete(accountId);
      }
    },
  );
}
