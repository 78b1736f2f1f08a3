import { useAllCampaigns, useAllSegments } from './all-names.ts';

/** The names of segments and campaigns by ID, for showing rules. An ID is shown only once it is known to have no name. */
export function useNames() {
  const segments = useAllSegments();
  const campaigns = useAllCampaigns();
  const isLoading = [segments, campaigns].some(({ isPending, hasMore }) => isPending || hasMore);
  const names = new Map([...segments.rows, ...campaigns.rows].map(({ id, name }) => [id, name]));
  return {
    segments: segments.rows,
    campaigns: campaigns.rows,
    named: (id: string) => (names.has(id) ? `“${names.get(id)}”` : isLoading ? '…' : id),
  };
}
