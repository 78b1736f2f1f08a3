import type {
  CreateWorkflowRequest,
  ListWorkflowsRequest,
  MessageAnalytics,
  SimulateWorkflowRequest,
  TriggerWorkflowRequest,
  UpdateWorkflowRequest,
  WorkflowRun,
  WorkflowSimulation,
  WorkflowStepCounts,
} from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { findContact } from '../contacts/contacts.ts';
import { useList } from '../lists/use-list.ts';

export type { WorkflowRun };
// Derived from the client's return type: its type of recursive rules differs from the generated schema's.
export type WorkflowDetails = Awaited<ReturnType<typeof readWorkflow>>;
export type Workflow = Omit<WorkflowDetails, 'warnings' | 'last_failure' | 'enrollment'>;
export type WorkflowStep = Workflow['steps'][number];
export type WorkflowStatus = Workflow['status'];
export type RunDetails = NonNullable<ReturnType<typeof useRun>['data']>;
export type RunState = WorkflowRun['status'];
export type WorkflowSearch = Pick<NonNullable<ListWorkflowsRequest['query']>, 'q' | 'status' | 'sort'>;
export type WorkflowVersion = Awaited<ReturnType<typeof readVersions>>['items'][number];
export type NewWorkflow = CreateWorkflowRequest['body'];
export type Simulated = WorkflowSimulation;
/** A simulation; `who` is a contact's ID or email, or empty for none. */
export type Simulating = { who: string } & Pick<
  SimulateBody,
  'branches' | 'refused' | 'responses' | 'variants' | 'events' | 'from' | 'advance'
>;
type SimulateBody = NonNullable<SimulateWorkflowRequest['body']>;
/** Something that happens to the contact during a simulation. */
export type SimulationEvent = NonNullable<SimulateBody['events']>[number];
export type StepCounts = WorkflowStepCounts;
export type EmailCounts = MessageAnalytics['counts'];
export type WorkflowTriggering = TriggerWorkflowRequest['body'];

const listed = ['workflows'];
export const workflowKey = (id: string) => ['workflow', id];
const runKey = (id: string) => ['run', id];

export const isOpen = (state: RunState) => state === 'active' || state === 'waiting';

const readWorkflow = (api: Api, id: string, signal: AbortSignal) =>
  responseData(api.GET('/v2/workflows/{id}', { params: { path: { id } }, signal }));

const readVersions = (api: Api, id: string, at: { cursor?: string }, signal: AbortSignal) =>
  responseData(api.GET('/v2/workflows/{id}/versions', { params: { path: { id }, query: at }, signal }));

export function useWorkflows(search: WorkflowSearch) {
  const api = useApi();
  return useList({
    queryKey: [...listed, search],
    page: (at, signal) => responseData(api.GET('/v2/workflows', { params: { query: { ...search, ...at } }, signal })),
  });
}

export function useWorkflow(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: workflowKey(id),
    queryFn: ({ signal }) => readWorkflow(api, id, signal),
    refetchInterval: ({ state }) => (state.data?.enrollment?.status === 'running' ? 2_000 : 15_000),
  });
}

const isEmail = (step: WorkflowStep): step is WorkflowStep & { type: 'send' } => step.type === 'send';

/** The steps of a workflow that send an email; none without a workflow. */
export function useEmailSteps(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...workflowKey(id), 'emails'],
    queryFn: async ({ signal }) => (await readWorkflow(api, id, signal)).steps.filter(isEmail),
    enabled: id !== '',
  });
}

/** The secret path of the inbound URL, on request. */
export function useWorkflowHook(id: string) {
  const api = useApi();
  return useMutation({ mutationFn: () => responseData(api.GET('/v2/workflows/{id}/hook', { params: { path: { id } } })), gcTime: 0 });
}

export function useWorkflowAnalytics(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...workflowKey(id), 'analytics'],
    queryFn: ({ signal }) => responseData(api.GET('/v2/workflows/{id}/analytics', { params: { path: { id } }, signal })),
    refetchInterval: 5_000,
  });
}

/** What has happened to the emails of a workflow that has any. */
export function useWorkflowEmails({ id, steps }: Pick<Workflow, 'id' | 'steps'>) {
  const api = useApi();
  return useQuery({
    queryKey: [...workflowKey(id), 'emails'],
    queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/messages/analytics', { params: { query: { workflow_id: id } }, signal })),
    enabled: steps.some(({ type }) => type === 'send'),
    refetchInterval: 5_000,
  });
}

/** The emails of a workflow after which something was bought. */
export function useWorkflowBuyers({ id }: Pick<Workflow, 'id'>) {
  const api = useApi();
  return useList({
    queryKey: [...workflowKey(id), 'buyers'],
    page: (at, signal) =>
      responseData(
        api.GET('/v2/campaigns/messages/ledger', { params: { query: { workflow_id: id, engagement: 'converted', ...at } }, signal }),
      ),
    refetchInterval: 15_000,
  });
}

export function useVersions(id: string) {
  const api = useApi();
  return useList({ queryKey: [...workflowKey(id), 'versions'], page: (at, signal) => readVersions(api, id, at, signal) });
}

/** One version of a workflow, searched from the newest to the oldest; null if it no longer exists. */
export function useVersion(id: string, version: number, enabled: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: [...workflowKey(id), 'version', version],
    queryFn: async ({ signal }) => {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { items, pagination }: Awaited<ReturnType<typeof readVersions>> = await readVersions(
          api,
          id,
          cursor === '' ? {} : { cursor },
          signal,
        );
        const found = items.find((one) => one.version === version);
        if (found) return found;
        cursor = pagination.next_cursor;
      }
      return null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
}

/** Simulates a run on a virtual clock, without effects. */
export function useSimulate(id: string) {
  const api = useApi();
  return useMutation({
    mutationFn: async ({ who, ...simulating }: Simulating) => {
      const contact = who === '' ? undefined : await findContact(api, who);
      const body = { ...simulating, ...(contact && { contact_id: contact.id }) };
      return responseData(api.POST('/v2/workflows/{id}/simulate', { params: { path: { id } }, body }));
    },
  });
}

export function useRuns(id: string, { state, step_id }: { state: RunState | undefined; step_id: string | undefined }) {
  const api = useApi();
  const filter = { ...(state && { status: state }), ...(step_id && { step_id }) };
  return useList({
    queryKey: [...workflowKey(id), 'runs', filter],
    page: (at, signal) =>
      responseData(api.GET('/v2/workflows/{id}/runs', { params: { path: { id }, query: { ...filter, ...at } }, signal })),
    refetchInterval: 5_000,
  });
}

export function useRun(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: runKey(id),
    queryFn: ({ signal }) => responseData(api.GET('/v2/workflows/runs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.status) ? 2_000 : false),
  });
}

export function useSettled(id: string) {
  const queries = useQueryClient();
  return () => Promise.all([queries.invalidateQueries({ queryKey: listed }), queries.invalidateQueries({ queryKey: workflowKey(id) })]);
}

export function useCreateWorkflow() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewWorkflow) => responseData(api.POST('/v2/workflows', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Updates the revision that was loaded; rejected if the workflow has changed since. */
export function useUpdateWorkflow(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: ({ change, revision }: { change: NonNullable<UpdateWorkflowRequest['body']>; revision: number }) =>
      responseData(api.PUT('/v2/workflows/{id}', { params: { path: { id } }, body: change, headers: { 'if-match': `"${revision}"` } })),
    onSettled,
  });
}

export function useDeleteWorkflow(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/workflows/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Which contacts start when a workflow is activated, beside those to come. */
export type Including = { include_current?: true; include_past_days?: number };

/**
 * Activates the workflow as it was shown; rejected if it has changed since. `onSuccess` runs before the workflow is read again, because
 * an active one has no component left that activates it, and callbacks of `mutate` end with their component.
 */
export function useActivateWorkflow({ id, revision }: Pick<Workflow, 'id' | 'revision'>, onSuccess: () => void) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: (body: Including) =>
      responseData(api.POST('/v2/workflows/{id}/activate', { params: { path: { id } }, body, headers: { 'if-match': `"${revision}"` } })),
    onSuccess,
    onSettled,
  });
}

export type WorkflowTransition = 'pause' | 'archive';

export function useTransitionWorkflow(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: (steering: WorkflowTransition) => {
      const request = { params: { path: { id } }, body: {} };
      if (steering === 'pause') return responseData(api.POST('/v2/workflows/{id}/pause', request));
      return responseData(api.POST('/v2/workflows/{id}/archive', request));
    },
    onSettled,
  });
}

/** Enrolls a contact and resolves to the run's ID; throws with the reason if no run starts. */
export function useTriggerWorkflow(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: async (who: WorkflowTriggering) => {
      const { runs } = await responseData(api.POST('/v2/workflows/{id}/trigger', { params: { path: { id } }, body: who }));
      const [run] = runs;
      if (!run?.run_id) throw new Error(run?.error?.message ?? "Couldn't start a run.");
      return run.run_id;
    },
    onSettled,
  });
}

export type RunTransition = 'cancel' | 'retry';

export function useTransitionRun(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (steering: RunTransition) => {
      const request = { params: { path: { id } }, body: {} };
      return responseData(
        steering === 'cancel' ? api.POST('/v2/workflows/runs/{id}/cancel', request) : api.POST('/v2/workflows/runs/{id}/retry', request),
      );
    },
    onSettled: () => queries.invalidateQueries({ queryKey: runKey(id) }),
  });
}
