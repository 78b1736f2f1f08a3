import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { defaultConversion } from '../ledger/conversions/conversions-store.ts';
import type { CountersStore } from '../ledger/counters/counters-store.ts';
import { messageSources } from '../ledger/recipients/message-category.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { AttributedConversion, attributed, Rates } from './analytics.ts';
import { countedMessages, MessageCounts } from './message-counts.ts';
import { asOf, deliveredAfterHours } from './report.ts';

const MessageAnalytics = z
  .object({
    workflow_id: workflowId.nullable().describe('The workflow; null for messages of the API.'),
    as_of: asOf,
    delivered_after_hours: deliveredAfterHours,
    conversion: AttributedConversion,
    counts: MessageCounts.describe('The counts of all these emails.'),
    rates: Rates.describe('The rates by name.'),
    steps: z
      .array(
        z.object({
          step_id: z.string().describe('The step.'),
          counts: MessageCounts.describe('The counts of the emails of the step.'),
          rates: Rates.describe('The rates by name.'),
        }),
      )
      .describe('The steps of the workflow that sent emails, the one with the most emails first.'),
  })
  .meta({ id: 'MessageAnalytics' });

type Deps = { mongo: Mongo; counters: CountersStore; settings: Pick<SettingsStore, 'of'> };

export function getMessageAnalytics(app: Server, { mongo, counters, settings }: Deps) {
  app.get(
    '/v2/campaigns/messages/analytics',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getMessageAnalytics',
        summary: 'Get the analytics of messages',
        description:
          'What has happened to the emails of a workflow, in total and by step, or to the messages of the API. The counts and rates have the definitions of the report of a campaign, ' +
          'and are read from counters. Emails that wait are not counted; a workflow that has sent nothing has counts of 0.',
        querystring: z.strictObject({
          workflow_id: workflowId.optional().describe('The workflow that sent the emails; messages of the API if omitted.'),
        }),
        response: { 200: success(MessageAnalytics) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { workflow_id } = request.query;
      const counted = await mongo.transaction({ correlationId: request.id, causationId: null }, (tx) =>
        counters.read(tx, accountId, workflow_id ?? messageSources.messages, 'step'),
      );
      const data = {
        workflow_id: workflow_id ?? null,
        as_of: counted.asOf.toISOString(),
        delivered_after_hours: (await settings.of(accountId)).delivered_after_hours,
        conversion: attributed(defaultConversion),
        ...countedMessages(counted.counts, counted.asOf),
        steps: counted.breakdown.map(({ key, counts }) => ({ step_id: key, ...countedMessages(counts, counted.asOf) })),
      };
      return { success: true as const, data };
    },
  );
}
