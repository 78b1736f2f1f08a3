import { type AccountId, type CampaignId, trustedId } from '@mp/ids';
import { createOnce } from '@mp/service-kit/once';
import type { Parts } from '@mp/service-kit/service-parts';
import { campaignStatuses, usesSegments } from './campaign-states.ts';
import { campaignsOf } from './campaigns-store.ts';
import type { PublishAudience } from './publish-audience.ts';

const atOnce = 200;

/** Publishes the audiences of campaigns that predate this event. The segments service keeps the newest revision of each. */
export function createPublishAudiencesOnce({ mongo, logger }: Pick<Parts, 'mongo' | 'logger'>, publishAudience: PublishAudience) {
  const campaigns = campaignsOf(mongo.db);
  return createOnce({ db: mongo.db, logger }, 'publish audiences', async (after) => {
    const rows = await campaigns
      .find({
        status: { $in: campaignStatuses.filter(usesSegments) },
        ...(after !== null && { _id: { $gt: trustedId<'campaign'>(after) } }),
      })
      .sort({ _id: 1 })
      .limit(atOnce)
      .project<{ _id: CampaignId; account_id: AccountId } & Parameters<PublishAudience>[2]>({
        ...{ account_id: 1, name: 1, revision: 1, status: 1, audience: 1 },
      })
      .toArray();
    const last = rows.at(-1)?._id;
    if (last === undefined) return null;
    await mongo.transaction({ correlationId: last, causationId: null }, async (tx) => {
      for (const { _id: id, account_id, ...campaign } of rows) await publishAudience(tx, account_id, { ...campaign, id });
    });
    return rows.length < atOnce ? null : last;
  });
}
