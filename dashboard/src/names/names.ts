import { useAllCampaigns, useAllForms, useAllSegments, useAllWorkflows } from './all-names.ts';

/** The name of what has this ID; the ID if it has none. */
export type NameOf = (id: string) => string;

/** The names of segments, campaigns, workflows and forms by ID, for showing rules. An ID is shown only once it is known to have no name. */
export function useNames() {
  const segments = useAllSegments();
  const campaigns = useAllCampaigns();
  const workflows = useAllWorkflows();
  const forms = useAllForms();
  const isLoading = [segments, campaigns, workflows, forms].some(({ isPending, hasMore }) => isPending || hasMore);
  const names = new Map([...segments.rows, ...campaigns.rows, ...workflows.rows, ...forms.rows].map(({ id, name }) => [id, name]));
  return {
    segments: segments.rows,
    campaigns: campaigns.rows,
    workflows: workflows.rows,
    forms: forms.rows,
    named: (id: string) => (names.has(id) ? `“${names.get(id)}”` : isLoading ? '…' : id),
  };
}
