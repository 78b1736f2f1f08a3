import type { TimelineEntry } from '@marketing-platform/sdk';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { TimelineEntry };
export type TimelineKind = TimelineEntry['kind'];

export const timelineKinds = [
  { kind: 'event', name: 'Events' },
  { kind: 'message', name: 'Messages' },
  { kind: 'consent', name: 'Consent' },
  { kind: 'form', name: 'Forms' },
  { kind: 'membership', name: 'Segments' },
  { kind: 'run', name: 'Workflows' },
  { kind: 'merge', name: 'Merges' },
] as const satisfies { kind: TimelineKind; name: string }[];

/** The prefix of the query keys of a contact's timeline. */
export const timelineKey = (contactId: string) => ['timeline', contactId];

export function useTimeline(contactId: string, kind: TimelineKind | undefined) {
  const api = useApi();
  return useList({
    queryKey: [...timelineKey(contactId), kind ?? ''],
    page: (at, signal) =>
      responseData(
        api.GET('/v2/contacts/{id}/timeline', { params: { path: { id: contactId }, query: { ...(kind && { kind }), ...at } }, signal }),
      ),
  });
}
