import type {
  CampaignDryRun,
  CampaignWithProgress,
  CreateCampaignRequest,
  GetCampaignLedgerRequest,
  ListCampaignsRequest,
  Recipient,
} from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { Decision } from '../approval/approval-panel.tsx';
import { useList } from '../lists/use-list.ts';

export type { CampaignSummary } from '@marketing-platform/sdk';
export type { Recipient };
export type Campaign = CampaignWithProgress;
export type CampaignStatus = Campaign['status'];
export type NewCampaign = CreateCampaignRequest['body'];
export type CampaignSearch = Pick<NonNullable<ListCampaignsRequest['query']>, 'q' | 'status' | 'sort'>;
export type RecipientState = Recipient['state'];
type LedgerQuery = NonNullable<GetCampaignLedgerRequest['query']>;
export type LedgerReason = NonNullable<LedgerQuery['reason']>;
export type TimeZones = NonNullable<CampaignDryRun['timezones']>;
export type LedgerFilter = Pick<LedgerQuery, 'state' | 'engagement'>;

const listed = ['campaigns'];
const one = (id: string) => ['campaign', id];
const part = (id: string, name: string) => [...one(id), name];
const pollMs = 1_000;

export const isInProgress = (status: CampaignStatus) => status === 'freezing' || status === 'sending';

/** Whether sending has started, so that there are results. */
export const isBegun = (status: CampaignStatus) => !['draft', 'awaiting_approval', 'scheduled'].includes(status);

/** Whether the campaign can be changed and sent, including one that failed before anything was sent. */
export const isEditable = (status: CampaignStatus) => status === 'draft' || status === 'failed';

export function useCampaigns(search: CampaignSearch, limit = 50) {
  const api = useApi();
  return useList({
    queryKey: [...listed, search, limit],
    page: (at, signal) => responseData(api.GET('/v2/campaigns', { params: { query: { limit, ...search, ...at } }, signal })),
  });
}

export function useCampaign(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: one(id),
    queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data.status) ? pollMs : 15_000),
  });
}

export function useCampaignAnalytics({ id, status }: Pick<Campaign, 'id' | 'status'>) {
  const api = useApi();
  return useQuery({
    queryKey: part(id, 'analytics'),
    queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/{id}/analytics', { params: { path: { id } }, signal })),
    refetchInterval: isInProgress(status) ? pollMs * 2 : 15_000,
    enabled: isBegun(status),
  });
}

export function useLedger({ id, status }: Pick<Campaign, 'id' | 'status'>, filter: LedgerFilter) {
  const api = useApi();
  return useList({
    queryKey: part(id, `ledger ${JSON.stringify(filter)}`),
    page: (at, signal) =>
      responseData(api.GET('/v2/campaigns/{id}/ledger', { params: { path: { id }, query: { ...filter, ...at } }, signal })),
    refetchInterval: isInProgress(status) ? pollMs * 3 : 15_000,
  });
}

/** What happened to the email to one contact. */
export function useMessageStory(id: string, contact_id: string) {
  const api = useApi();
  return useQuery({
    queryKey: part(id, `message ${contact_id}`),
    queryFn: ({ signal }) =>
      responseData(api.GET('/v2/campaigns/{id}/messages/{contact_id}', { params: { path: { id, contact_id } }, signal })),
  });
}

/** The rendered email, for a contact or with empty fields; refetched for every saved revision. */
export function usePreviewOf(
  { id, revision }: Pick<Campaign, 'id' | 'revision'>,
  { contactId, variant }: { contactId?: string | undefined; variant?: string | undefined } = {},
) {
  const api = useApi();
  return useQuery({
    queryKey: part(id, `preview ${revision} ${contactId ?? ''} ${variant ?? ''}`),
    queryFn: ({ signal }) => {
      const body = { ...(contactId !== undefined && { contact_id: contactId }), ...(variant !== undefined && { variant }) };
      return responseData(api.POST('/v2/campaigns/{id}/preview', { params: { path: { id } }, body, signal }));
    },
    placeholderData: (before) => before,
    retry: false,
  });
}

/** How many contacts would receive the campaign now, and why others would be skipped. */
export function useDryRun(id: string, enabled: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: part(id, 'dry-run'),
    queryFn: ({ signal }) => responseData(api.POST('/v2/campaigns/{id}/dry-run', { params: { path: { id } }, body: {}, signal })),
    enabled,
    // The user decides by it, so it is never served from the cache.
    staleTime: 0,
    gcTime: 0,
  });
}

/** Refetches everything about the campaign, after success and failure: a rejection often means that its status has changed. */
function useSettled(id: string) {
  const queries = useQueryClient();
  return () => Promise.all([queries.invalidateQueries({ queryKey: listed }), queries.invalidateQueries({ queryKey: one(id) })]);
}

export function useCreateCampaign() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewCampaign) => responseData(api.POST('/v2/campaigns', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Updates the revision that was loaded; rejected if the draft has changed since. */
export function useUpdateCampaign(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: ({ change, revision }: { change: NewCampaign; revision: number }) =>
      responseData(api.PUT('/v2/campaigns/{id}', { params: { path: { id } }, body: change, headers: { 'if-match': `"${revision}"` } })),
    onSettled,
  });
}

export function useDeleteCampaign(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/campaigns/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Sends the campaign as it was reviewed, now or at an ISO 8601 time; rejected if it has changed since. */
export function useSendCampaign({ id, revision }: Pick<Campaign, 'id' | 'revision'>) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: (scheduleAt: string | undefined) =>
      responseData(
        api.POST('/v2/campaigns/{id}/send', {
          params: { path: { id } },
          body: scheduleAt === undefined ? {} : { schedule_at: scheduleAt },
          headers: { 'if-match': `"${revision}"` },
        }),
      ),
    onSettled,
  });
}

/** A new draft with the same content, sender and audience. */
export function useDuplicateCampaign({ id, name }: Pick<Campaign, 'id' | 'name'>) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      responseData(api.POST('/v2/campaigns/{id}/duplicate', { params: { path: { id } }, body: { name: `${name} (copy)` } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Who requested approval, and what was decided; refetched for every revision. */
export function useCampaignApproval({ id, revision, status }: Pick<Campaign, 'id' | 'revision' | 'status'>) {
  const api = useApi();
  return useQuery({
    queryKey: part(id, `approval ${revision}`),
    queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/{id}/approval', { params: { path: { id } }, signal })),
    enabled: status === 'awaiting_approval' || status === 'draft',
  });
}

export function useDecideCampaign(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: ({ verb, revision, comment }: Decision) => {
      const params = { path: { id } };
      return verb === 'approve'
        ? responseData(api.POST('/v2/campaigns/{id}/approve', { params, body: { revision } }))
        : responseData(api.POST('/v2/campaigns/{id}/reject', { params, body: { revision, comment } }));
    },
    onSettled,
  });
}

export type CampaignTransition = 'pause' | 'resume' | 'cancel' | 'unschedule';

export function useTransitionCampaign(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: (steering: CampaignTransition) => {
      const request = { params: { path: { id } }, body: {} };
      if (steering === 'pause') return responseData(api.POST('/v2/campaigns/{id}/pause', request));
      if (steering === 'resume') return responseData(api.POST('/v2/campaigns/{id}/resume', request));
      if (steering === 'unschedule') return responseData(api.POST('/v2/campaigns/{id}/unschedule', request));
      return responseData(api.POST('/v2/campaigns/{id}/cancel', request));
    },
    onSettled,
  });
}

/** Sends a variant of the A/B test to the rest of the audience. */
export function useSelectWinner(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: (variant: string) => responseData(api.POST('/v2/campaigns/{id}/winner', { params: { path: { id } }, body: { variant } })),
    onSettled,
  });
}

/** Resolves messages with unknown delivery: resends them, at the risk of duplicates, or leaves them. */
export function useResolveUnknown(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: (action: 'resend' | 'leave') =>
      responseData(api.POST('/v2/campaigns/{id}/resolve-unknown', { params: { path: { id } }, body: { action } })),
    onSettled,
  });
}
