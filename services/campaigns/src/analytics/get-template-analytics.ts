import { success } from '@mp/contracts/envelope';
import { templateId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import type { CountersStore } from '../ledger/counters/counters-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { Rates } from './counts-and-rates.ts';
import { countedMessages, MessageCounts } from './message-counts.ts';
import { asOf, deliveredAfterHours } from './report.ts';

const maxCampaigns = 2_000;

const TemplateAnalytics = z
  .object({
    template_id: templateId.describe('The ID of the template.'),
    campaigns: z.number().int().describe('Campaigns with this template that started to send, or were cancelled.'),
    truncated: z.boolean().describe(`Whether there are more; only ${maxCampaigns.toLocaleString('en')} are counted.`),
    as_of: asOf,
    delivered_after_hours: deliveredAfterHours,
    counts: MessageCounts.describe('The counts of all emails with this template.'),
    rates: Rates.describe('The rates by name.'),
  })
  .meta({ id: 'TemplateAnalytics' });

type Deps = {
  mongo: Mongo;
  templates: Pick<TemplatesStore, 'get'>;
  campaigns: Pick<CampaignsStore, 'idsWithTemplate'>;
  counters: Pick<CountersStore, 'readTemplate'>;
  settings: Pick<SettingsStore, 'of'>;
};

export function getTemplateAnalytics(app: Server, { mongo, templates, campaigns, counters, settings }: Deps) {
  app.get(
    '/v2/campaigns/templates/:id/analytics',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getTemplateAnalytics',
        summary: 'Get the analytics of a template',
        description:
          'What has happened to the emails of all campaigns, workflows and messages with this template, of any version. The counts and rates have the definitions of the report of a campaign, ' +
          'and are read from counters. Emails that wait are not counted. Each campaign defines its conversions; for workflows and messages, any event with a value within 7 days of the last click is one.',
        params: z.object({ id: templateId.describe('The ID of the template.') }),
        response: { 200: success(TemplateAnalytics) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id } = await templates.get(accountId, request.params.id);
      const { found, counted } = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        const found = await campaigns.idsWithTemplate(tx, accountId, id, maxCampaigns + 1);
        return { found, counted: await counters.readTemplate(tx, accountId, id, found.slice(0, maxCampaigns)) };
      });
      const data = {
        template_id: id,
        campaigns: Math.min(found.length, maxCampaigns),
        truncated: found.length > maxCampaigns,
        as_of: counted.asOf.toISOString(),
        delivered_after_hours: (await settings.of(accountId)).delivered_after_hours,
        ...countedMessages(counted.counts, counted.asOf),
      };
      return { success: true as const, data };
    },
  );
}
