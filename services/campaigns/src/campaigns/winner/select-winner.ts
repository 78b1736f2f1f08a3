import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { trialsOf } from '../../ab-tests/best-variant.ts';
import type { CountersStore } from '../../ledger/counters/counters-store.ts';
import { Campaign } from '../campaign.ts';
import { invalidState } from '../campaign-states.ts';
import type { CampaignsStore } from '../campaigns-store.ts';
import { requireSendPermission } from '../require-send-permission.ts';
import { type AbTestsStore, comparedStatuses, isCompared } from './ab-tests-store.ts';

type Deps = { campaigns: CampaignsStore; tests: AbTestsStore; counters: CountersStore; transact: Transact; wake: () => void };

const Body = z.strictObject({ variant: z.string().max(20).describe('The variant that the rest of the audience gets.') });

export function selectWinner(app: Server, { campaigns, tests, counters, transact, wake }: Deps) {
  app.post(
    '/v2/campaigns/:id/winner',
    {
      config: { scope: 'campaigns:send', ifMatch: true },
      schema: {
        operationId: 'selectCampaignWinner',
        summary: 'Select the winner of an A/B test',
        description:
          'Sends this variant to the rest of the audience. Possible while the campaign is `sending`, `paused` or `sent` and has no winner, ' +
          'even if it would be selected automatically. If there is no rest, the winner is only recorded. The winner cannot be changed.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body: Body,
        response: { 200: success(Campaign) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { id } = request.params;
        const { variant } = request.body;
        const campaign = await campaigns.get(accountId, id, tx);
        requireMatch(request, campaign);
        requireSendPermission(request.principal, campaign);
        const { ab_test, status, ab_result } = campaign;
        if (!ab_test) throw invalid('/variant', 'no_ab_test', 'The campaign has no A/B test.');
        if (!ab_test.variants.some((one) => one.id === variant))
          throw invalid('/variant', 'unknown_variant', `The variants are ${ab_test.variants.map((one) => one.id).join(', ')}.`);
        if (!isCompared(status)) throw invalidState('given a winner', status, comparedStatuses);
        const hasWinner = () => new ApiError('INVALID_STATE', 'The A/B test already has a winner; it cannot be changed.');
        if (ab_result?.winner) throw hasWinner();
        const { breakdown } = await counters.read(tx, accountId, id, 'variant');
        const variants = trialsOf(ab_test, (one) => breakdown.find(({ key }) => key === one)?.counts ?? {});
        const selected_at = new Date().toISOString();
        const result = { winner: variant, selected_at, selected_by: 'request' as const, variants };
        if (!(await tests.select(tx, accountId, id, result))) throw hasWinner();
        const selected = await campaigns.get(accountId, id, tx);
        tx.afterCommit(wake);
        return { status: 200, data: selected, etag: etagOf(selected) };
      }),
  );
}
