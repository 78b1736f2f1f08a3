import type { Visitor } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';
import { leadpulseKey } from './leadpulse.ts';
import { type VisitorSearch, valueText } from './leadpulse-search.ts';

export type { VisitorWithHistory } from '@marketing-platform/sdk';
export type { Visitor };

export function useVisitors(search: VisitorSearch) {
  const api = useApi();
  return useList({
    queryKey: [...leadpulseKey, 'visitors', search],
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/visitors', { params: { query: { ...search, ...at } }, signal })),
  });
}

export function useVisitor(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...leadpulseKey, 'visitor', id],
    queryFn: ({ signal }) => responseData(api.GET('/v2/leadpulse/visitors/{id}', { params: { path: { id } }, signal })),
    refetchInterval: 15_000,
  });
}

/** All sessions of a visitor, page by page. */
export function useSessions(id: string) {
  const api = useApi();
  return useList({
    queryKey: [...leadpulseKey, 'visitor', id, 'sessions'],
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/visitors/{id}/sessions', { params: { path: { id }, query: at }, signal })),
  });
}

/** All events of a visitor, page by page. */
export function useEvents(visitor: string) {
  const api = useApi();
  return useList({
    queryKey: [...leadpulseKey, 'visitor', visitor, 'events'],
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/events', { params: { query: { visitor, include: 'bots', ...at } }, signal })),
  });
}

export function useDeleteVisitor(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/leadpulse/visitors/{id}', { params: { path: { id } } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: [...leadpulseKey, 'visitors'] }),
  });
}

/** The channel and source of a touch. */
export const touchLabel = (touch: Visitor['first_touch']) =>
  touch && [valueText('channel', touch.channel), ...(touch.source === touch.channel ? [] : [touch.source])].filter(Boolean).join(', ');
