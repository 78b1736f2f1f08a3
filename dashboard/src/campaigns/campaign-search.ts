import type { CampaignSearch, CampaignStatus } from './campaigns.ts';

export const campaignStatuses = [
  'draft',
  'awaiting_approval',
  'scheduled',
  'freezing',
  'sending',
  'paused',
  'sent',
  'cancelled',
  'failed',
] as const satisfies CampaignStatus[];
export const campaignSorts = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** Parses the URL parameters of the campaign list. */
export function campaignSearch(raw: Record<string, unknown>): CampaignSearch {
  const status = campaignStatuses.find((one) => one === raw.status);
  const q = typeof raw.q === 'string' && raw.q !== '' ? raw.q : undefined;
  // A search can only be sorted by when campaigns were created.
  const sort = campaignSorts.find((one) => one === raw.sort && (q === undefined || one.endsWith('created_at')));
  return { ...(q && { q }), ...(status && { status }), ...(sort && { sort }) };
}
