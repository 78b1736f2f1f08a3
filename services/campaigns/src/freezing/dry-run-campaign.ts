import type { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { Campaign } from '../campaigns/campaign.ts';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import { skipReasons } from '../contactables/contactable.ts';
import type { WhoMayBeMailed } from '../contactables/who-may-be-mailed.ts';
import { TemplateError } from '../templates/liquid.ts';
import { type CompiledMessage, compileMessage, renderMessage } from '../templates/render-message.ts';
import { contactScope, missingFields } from '../templates/template-fields.ts';
import type { AudiencePages } from './audience-pages.ts';
import type { RequireSegments } from './segments-exist.ts';

type Deps = {
  campaigns: CampaignsStore;
  audiencePages: AudiencePages;
  requireSegments: RequireSegments;
  whoMayBeMailed: WhoMayBeMailed;
  publicUrl: string;
  /** How long it may look at people. */
  budgetMs: number;
};

const samplesEach = 5;

const Sample = z.object({ contact_id: z.string(), email: z.string().nullable() });

const DryRun = z
  .object({
    as_of: z.iso.datetime(),
    exact: z.boolean().describe('whether everybody was looked at within the time; otherwise the counts are of those who were'),
    audience_count: z.number().int().describe('people in the audience now'),
    would_send: z.number().int(),
    skipped: z
      .array(z.object({ reason: z.enum(skipReasons), count: z.number().int(), samples: z.array(Sample) }))
      .describe('who would get nothing, by reason'),
    samples: z
      .array(
        Sample.extend({
          subject: z.string().nullable(),
          html: z.string().nullable(),
          text: z.string().nullable(),
          missing_fields: z.array(z.string()),
          error: z.string().nullable().describe('why it cannot be rendered for this contact'),
        }),
      )
      .describe('up to five people who would get it, with what they would read'),
  })
  .meta({ id: 'CampaignDryRun' });
type DryRun = z.infer<typeof DryRun>;

export function dryRunCampaign(app: Server, deps: Deps) {
  const { campaigns, audiencePages, requireSegments, whoMayBeMailed, publicUrl, budgetMs } = deps;
  /** The accounts for which one is under way: more at once would only slow each other down. */
  const underWay = new Set<string>();

  async function dryRun(accountId: string, { audience, name }: Campaign, message: CompiledMessage, left: AbortSignal): Promise<DryRun> {
    const asOf = new Date();
    let exact = true;
    const skipped = new Map<(typeof skipReasons)[number], { count: number; samples: z.infer<typeof Sample>[] }>();
    const samples: DryRun['samples'] = [];
    let [total, wouldSend] = [0, 0];
    for (let after: string | null = null; ; ) {
      const page = await audiencePages({ accountId, audience, asOf, after });
      const verdicts = await whoMayBeMailed(accountId, page.contactIds, { keep: false });
      for (const id of page.contactIds) {
        const { contact, reason: refused } = verdicts.get(id) ?? { contact: undefined, reason: 'deleted' as const };
        const reason = page.excluded.has(id) ? 'excluded' : refused;
        const sample = { contact_id: id, email: contact?.email ?? null };
        total += 1;
        if (reason) {
          const group = skipped.get(reason) ?? { count: 0, samples: [] };
          skipped.set(reason, { count: group.count + 1, samples: [...group.samples, sample].slice(0, samplesEach) });
        } else {
          wouldSend += 1;
          if (contact && samples.length < samplesEach) samples.push({ ...sample, ...rendered(message, name, contact) });
        }
      }
      if (page.next === null) break;
      exact = Date.now() - asOf.getTime() < budgetMs && !left.aborted;
      if (!exact) break;
      after = page.next;
    }
    return {
      as_of: asOf.toISOString(),
      exact,
      audience_count: total,
      would_send: wouldSend,
      skipped: [...skipped].map(([reason, group]) => ({ reason, ...group })),
      samples,
    };
  }

  function rendered(message: CompiledMessage, name: string, contact: Contact) {
    const scope = { contact: contactScope(contact), campaign: { name }, unsubscribe_url: `${publicUrl}/t/preview` };
    const parts = [message.subject, message.html, message.preview, message.text].filter((part) => part !== undefined);
    const missing_fields = missingFields(parts, scope);
    try {
      const { subject, html, text } = renderMessage(message, scope);
      return { subject, html, text, missing_fields, error: null };
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return { subject: null, html: null, text: null, missing_fields, error: error.message };
    }
  }

  app.post(
    '/v2/campaigns/:id/dry-run',
    {
      config: { scope: 'campaigns:read', reads: true },
      schema: {
        operationId: 'dryRunCampaign',
        summary: 'Try a campaign without sending it',
        description:
          'What freezing and sending would do now: the final count, the count by exclusion reason, and samples. Nothing is written. ' +
          'It takes ten seconds at most: for an audience that needs longer `exact` is false. One at a time: another meanwhile is a 429.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        body: z.strictObject({}),
        response: { 200: success(DryRun) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const campaign = await campaigns.get(accountId, request.params.id);
      const message = compileMessage(campaign);
      await requireSegments(accountId, campaign.audience, { mayWait: false });
      if (underWay.has(accountId))
        throw new ApiError('RATE_LIMITED', 'Another dry run is under way; try again when it is over.', { retryAfter: 2 });
      underWay.add(accountId);
      const leaving = new AbortController();
      reply.raw.once('close', () => leaving.abort());
      try {
        return { success: true as const, data: await dryRun(accountId, campaign, message, leaving.signal) };
      } finally {
        underWay.delete(accountId);
      }
    },
  );
}
