import { useAllCampaigns } from '../campaigns/campaigns.ts';
import { useAllSegments } from './segments.ts';

/** What the segments and campaigns that a rule names are called; an id where that is not known. */
export function useNames() {
  const segments = useAllSegments();
  const campaigns = useAllCampaigns();
  const names = new Map([...segments.rows, ...campaigns.rows].map(({ id, name }) => [id, name]));
  return { segments: segments.rows, campaigns: campaigns.rows, named: (id: string) => (names.has(id) ? `“${names.get(id)}”` : id) };
}
