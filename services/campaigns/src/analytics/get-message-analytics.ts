import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { defaultConversion } from '../ledger/conversions/conversions-store.ts';
import type { Counts } from '../ledger/counters/contribution.ts';
import { messageSources } from '../ledger/recipients/message-category.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { AttributedConversion, attributed, Rates } from './counts-and-rates.ts';
import { countedMessages, MessageCounts } from './message-counts.ts';
import type { ReadMessages } from './read-messages.ts';
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
          variants: z
            .array(
              z.object({
                name: z.string().describe('The variant.'),
                counts: MessageCounts.describe('The counts of its emails.'),
                rates: Rates.describe('The rates by name.'),
              }),
            )
            .describe('The variants of the step that were sent, the one with the most emails first; empty without variants.'),
        }),
      )
      .describe('The steps of the workflow that sent emails, the one with the most emails first.'),
  })
  .meta({ id: 'MessageAnalytics' });

type Deps = { readMessages: ReadMessages; settings: Pick<SettingsStore, 'of'> };

export function getMessageAnalytics(app: Server, { readMessages, settings }: Deps) {
  app.get(
    '/v2/campaigns/messages/analytics',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getMessageAnalytics',
        summary: 'Get the analytics of messages',
        description:
          'What has happened to the emails of a workflow, in total, by step and by variant of a step, or to the messages of the API. The counts and rates have the definitions of the report of a campaign, ' +
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
      const counted = await readMessages(accountId, workflow_id ?? messageSources.messages, request.id);
      const of = (counters: Counts) => countedMessages(counters, counted.asOf);
      const data = {
        workflow_id: workflow_id ?? null,
        as_of: counted.asOf.toISOString(),
        delivered_after_hours: (await settings.of(accountId)).delivered_after_hours,
        conversion: attributed(defaultConversion),
        ...of(counted.counts),
        steps: counted.steps.map(({ step_id, counts, variants }) => ({
          ...{ step_id, ...of(counts) },
          variants: variants.map(({ name, counts: own }) => ({ name, ...of(own) })),
        })),
      };
      return { success: true as const, data };
    },
  );
}
