import type {
  CreateWebhookRequest,
  MissedWebhookDeliveries,
  UpdateWebhookRequest,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookDetails,
  WebhookEventType,
} from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';
import { receivedLabel } from './event-names.ts';

export type { CreatedWebhook } from '@marketing-platform/sdk';
export type Webhook = WebhookDetails;
/** What a webhook did not receive before it was enabled. */
export type Missed = MissedWebhookDeliveries;
export type Delivery = WebhookDelivery;
export type DeliveryDetails = WebhookDeliveryDetails;
export type EventName = WebhookEventType['type'];
export type NewWebhook = CreateWebhookRequest['body'];
export type WebhookChange = NonNullable<UpdateWebhookRequest['body']>;

const listed = ['webhooks'];
const keyOf = (id: string) => [...listed, id];
const deliveriesKey = (id: string) => [...keyOf(id), 'deliveries'];
const deliveryKey = (id: string) => ['webhook-delivery', id];

/** Deliveries change without user action. */
const refetchInterval = 3_000;

export function useWebhooks(enabled = true) {
  const api = useApi();
  return useList({
    enabled,
    queryKey: listed,
    page: (at, signal) => responseData(api.GET('/v2/webhooks', { params: { query: at }, signal })),
    refetchInterval,
  });
}

export function useWebhook(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => responseData(api.GET('/v2/webhooks/{id}', { params: { path: { id } }, signal })),
    refetchInterval,
  });
}

export function useEventTypes() {
  const api = useApi();
  return useQuery({
    queryKey: ['webhook-event-types'],
    queryFn: ({ signal }) => responseData(api.GET('/v2/webhooks/event-types', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What webhooks receive, in words. */
export function useReceivedLabels() {
  const { data } = useEventTypes();
  const summaries = new Map<string, string>(data?.event_types.map(({ type, summary }) => [type, summary]));
  return (events: readonly string[]) => events.map((name) => receivedLabel(name, (type) => summaries.get(type))).join(', ');
}

export function useDeliveries(id: string, status: Delivery['status'] | undefined) {
  const api = useApi();
  return useList({
    queryKey: [...deliveriesKey(id), status ?? null],
    page: (at, signal) =>
      responseData(
        api.GET('/v2/webhooks/{id}/deliveries', { params: { path: { id }, query: { ...at, ...(status && { status }) } }, signal }),
      ),
    refetchInterval,
  });
}

export function useDelivery(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: deliveryKey(id),
    queryFn: ({ signal }) => responseData(api.GET('/v2/webhooks/deliveries/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 1_000 : false),
  });
}

function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: listed });
}

export function useCreateWebhook() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (wanted: NewWebhook) => responseData(api.POST('/v2/webhooks', { body: wanted })),
    // The response contains the secret, so it is not cached.
    gcTime: 0,
    onSettled,
  });
}

/** `revision`: fails if the webhook has changed since. */
export function useChangeWebhook(id: string, revision?: number) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (change: WebhookChange) =>
      responseData(
        api.PUT('/v2/webhooks/{id}', {
          params: { path: { id } },
          body: change,
          ...(revision !== undefined && { headers: { 'if-match': `"${revision}"` } }),
        }),
      ),
    onSettled,
  });
}

export function useDeleteWebhook(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/webhooks/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.removeQueries({ queryKey: keyOf(id) }),
  });
}

export function useRotateWebhookSecret(id: string) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (grace_seconds: number) =>
      responseData(api.POST('/v2/webhooks/{id}/rotate-secret', { params: { path: { id } }, body: { grace_seconds } })),
    gcTime: 0,
    onSettled,
  });
}

export function useTestWebhook(id: string) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (type: EventName) => responseData(api.POST('/v2/webhooks/{id}/test', { params: { path: { id } }, body: { type } })),
    onSettled,
  });
}

export function useReplayDelivery(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.POST('/v2/webhooks/deliveries/{id}/replay', { params: { path: { id } }, body: {} })),
    onSettled: () => queries.invalidateQueries({ queryKey: deliveryKey(id) }),
  });
}

export function useReplayFailed(id: string) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (from: string) => responseData(api.POST('/v2/webhooks/{id}/replay', { params: { path: { id } }, body: { from } })),
    onSettled,
  });
}
