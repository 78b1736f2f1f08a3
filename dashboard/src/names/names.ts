import { useAllCampaigns, useAllSegments } from './all-names.ts';

/** The names of segments and campaigns by ID, for showing rules. An unknown ID is shown as it is. */
export function useNames() {
  const segments = useAllSegments();
  const campaigns = useAllCampaigns();
  const names = new Map([...segments.rows, ...campaigns.rows].map(({ id, name }) => [id, name]));
  return { segments: segments.rows, campaigns: campaigns.rows, named: (id: string) => (names.has(id) ? `“${names.get(id)}”` : id) };
}
