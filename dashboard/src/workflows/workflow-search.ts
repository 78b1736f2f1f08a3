import type { WorkflowSearch } from './workflows.ts';

const statuses = ['draft', 'awaiting_approval', 'active', 'paused', 'archived'] as const;
const sorts = ['created_at', '-created_at'] as const;

/** Parses the URL parameters of the workflow list. */
export function workflowSearch(raw: Record<string, unknown>): WorkflowSearch {
  const status = statuses.find((one) => one === raw.status);
  const sort = sorts.find((one) => one === raw.sort);
  const q = typeof raw.q === 'string' && raw.q !== '' ? raw.q : undefined;
  return { ...(q && { q }), ...(status && { status }), ...(sort && { sort }) };
}
