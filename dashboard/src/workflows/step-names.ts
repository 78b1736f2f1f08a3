import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';
import { useWholeList } from '../lists/use-whole-list.ts';
import { useNames } from '../names/names.ts';
import { usePermission } from '../session/permission.ts';
import type { Definition } from './definition.ts';

const limit = 100;

export function useAllTemplates(enabled = true) {
  const api = useApi();
  const list = useList({
    queryKey: ['templates', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/campaigns/templates', { params: { query: { limit, ...at } }, signal })),
    enabled,
  });
  return useWholeList(list);
}

export function useAllWorkflows(enabled = true) {
  const api = useApi();
  const list = useList({
    queryKey: ['workflows', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/workflows', { params: { query: { limit, ...at } }, signal })),
    enabled,
  });
  return useWholeList(list);
}

/** The users of the account; only admins may list them. */
export function useTeamMembers(enabled = true) {
  const api = useApi();
  const { isAdmin } = usePermission();
  const list = useList({
    queryKey: ['users', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/settings/users', { params: { query: { limit, ...at } }, signal })),
    enabled: enabled && isAdmin,
  });
  return useWholeList(list);
}

const dayMs = 24 * 3_600_000;
const eventDays = 90;

/** The names of the events that were tracked lately, most frequent first. */
export function useTrackedEvents() {
  const api = useApi();
  return useQuery({
    queryKey: ['tracked-events'],
    queryFn: async ({ signal }) => {
      const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      const query = { from: day(Date.now() - eventDays * dayMs), to: day(Date.now()), by: 'event', interval: 'week' } as const;
      const { breakdown } = await responseData(api.GET('/v2/leadpulse/analytics', { params: { query }, signal }));
      return (breakdown?.items ?? []).map(({ value }) => value);
    },
    staleTime: 60_000,
  });
}

/** The names of everything that a workflow refers to, by ID. Only what it refers to is loaded. */
export function useStepNames({ trigger, steps }: Pick<Definition, 'steps'> & Partial<Pick<Definition, 'trigger'>>) {
  const { named } = useNames();
  const templates = useAllTemplates(
    steps.some((step) => step.type === 'send' && [step, ...(step.variants ?? [])].some(({ template_id }) => template_id !== undefined)),
  );
  const workflows = useAllWorkflows(
    (trigger && 'workflow_id' in trigger && trigger.workflow_id !== undefined) || steps.some(({ type }) => type === 'start_workflow'),
  );
  const users = useTeamMembers(steps.some(({ type }) => type === 'notify'));
  const names = new Map([
    ...[...templates.rows, ...workflows.rows].map(({ id, name }) => [id, `“${name}”`] as const),
    ...users.rows.map(({ id, name, email }) => [id, name || email || id] as const),
  ]);
  return (id: string) => names.get(id) ?? named(id);
}
