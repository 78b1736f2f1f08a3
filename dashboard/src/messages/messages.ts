import type { ListMessagesRequest, Message, SendMessageRequest } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { recipientStates } from '../campaigns/recipient-status.tsx';
import { useList } from '../lists/use-list.ts';
import { timelineKey } from '../timeline/timeline.ts';

export type { Message };
export type MessageSearch = Pick<NonNullable<ListMessagesRequest['query']>, 'status'>;
export type NewMessage = SendMessageRequest['body'];

const messagesKey = ['messages'];

/** Parses the URL parameters of the list of messages. */
export function messageSearch(raw: Record<string, unknown>): MessageSearch {
  const status = recipientStates.find((one) => one === raw.status);
  return status ? { status } : {};
}

export function useMessages(search: MessageSearch) {
  const api = useApi();
  return useList({
    queryKey: [...messagesKey, search],
    page: (at, signal) => responseData(api.GET('/v2/campaigns/messages', { params: { query: { ...search, ...at } }, signal })),
    refetchInterval: 15_000,
  });
}

/** Sends one email to one contact. */
export function useSendMessage(contactId: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (message: Omit<NewMessage, 'to'>) =>
      responseData(api.POST('/v2/campaigns/messages', { body: { ...message, to: { contact_id: contactId } } })),
    onSuccess: () =>
      Promise.all([queries.invalidateQueries({ queryKey: messagesKey }), queries.invalidateQueries({ queryKey: timelineKey(contactId) })]),
  });
}
