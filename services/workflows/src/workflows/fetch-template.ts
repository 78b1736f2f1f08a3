import { CampaignCoupons, CampaignTemplate } from '@mp/contracts/requests/campaigns';
import type { AccountId, TemplateId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';

export type FetchTemplate = ReturnType<typeof createFetchTemplate>;

/**
 * Fetches the current version of a template; null if the account has none with this id. Throws SERVICE_UNAVAILABLE when
 * campaigns does not reply.
 */
export const createFetchTemplate =
  ({ broker, timeoutMs }: { broker: Pick<Broker, 'request'>; timeoutMs?: number }) =>
  async (accountId: AccountId, id: TemplateId) =>
    (await broker.request(CampaignTemplate, { account_id: accountId, template_id: id }, timeoutMs)).template;

export type FetchCouponNames = ReturnType<typeof createFetchCouponNames>;

/** The names of the account's coupons. Throws SERVICE_UNAVAILABLE when campaigns does not reply. */
export const createFetchCouponNames =
  ({ broker }: { broker: Pick<Broker, 'request'> }) =>
  async (accountId: AccountId): Promise<string[]> =>
    (await broker.request(CampaignCoupons, { account_id: accountId })).names;
