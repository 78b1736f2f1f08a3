import { page, success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { AccountId, CampaignId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { includeContact, withContacts } from '@mp/service-kit/include-contacts';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { CampaignsStore } from '../../campaigns/campaigns-store.ts';
import { ledgerFilter, requireServed } from './ledger-filter.ts';
import { Recipient, StateCounts } from './recipient.ts';
import type { RecipientsStore } from './recipients-store.ts';

type Deps = { mongo: Mongo; broker: Pick<Broker, 'request'>; campaigns: CampaignsStore; recipients: RecipientsStore };

const Reconciliation = z
  .object({
    audience_count: z.number().int().describe('Contacts in the frozen audience.'),
    statuses: renamedFrom('states', StateCounts.describe('The number of recipients with each status.')),
    sum: z.number().int().describe('The sum of these numbers.'),
    reconciles: z.boolean().describe('Whether they add up to the frozen audience; false is a bug in the platform.'),
  })
  .meta({ id: 'LedgerReconciliation' });

const Ledger = success(page(Recipient).shape.data.extend({ reconciliation: Reconciliation }));

export function getLedger(app: Server, { mongo, broker, campaigns, recipients }: Deps) {
  /** Reads the count and the statuses in one transaction, so that they agree during concurrent writes. */
  const reconcile = (accountId: AccountId, id: CampaignId, requestId: string) =>
    mongo.transaction({ correlationId: requestId, causationId: null }, async (tx) => {
      const { audience_count } = await campaigns.get(accountId, id, tx);
      const statuses = await recipients.countStates(accountId, id, tx);
      const sum = Object.values(statuses).reduce((total, count) => total + count, 0);
      return { audience_count: audience_count ?? 0, statuses, sum, reconciles: sum === (audience_count ?? 0) };
    });

  app.get(
    '/v2/campaigns/:id/ledger',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCampaignLedger',
        summary: 'Get the ledger of a campaign',
        description:
          'One row for each contact in the frozen audience, and the reconciliation: the numbers by status always add up to the audience.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        querystring: z.strictObject({
          ...listQuery,
          include: includeContact,
          ...ledgerFilter,
        }),
        response: { 200: Ledger },
      },
    },
    async (request, reply) => {
      requireServed(request.query);
      const { accountId } = request.principal;
      const { id } = await campaigns.get(accountId, request.params.id);
      const [found, reconciliation] = await Promise.all([
        recipients.list(accountId, id, request.query),
        reconcile(accountId, id, request.id),
      ]);
      const items = request.query.include
        ? await withContacts(broker, request.principal, found.items, ({ contact_id }) => contact_id)
        : found.items;
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: { ...found, items, reconciliation } };
    },
  );
}
