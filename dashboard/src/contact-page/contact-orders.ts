import { useQuery } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { type Orders, ordersOf } from './orders-of.ts';

/** Bounds what is read for one page: the latest events. */
const maxEvents = 1_000;

const readEvents = (api: Api, query: { contact_id: string; limit: number; cursor?: string }, signal: AbortSignal) =>
  responseData(api.GET('/v2/leadpulse/events', { params: { query }, signal }));

/** The orders among the latest events of a contact. `isPart`: there are older events. */
export function useContactOrders(contact_id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['contact', contact_id, 'orders'],
    queryFn: async ({ signal }): Promise<Orders & { isPart: boolean }> => {
      const first = { contact_id, limit: 100 };
      let { items: events, pagination } = await readEvents(api, first, signal);
      while (pagination.next_cursor !== null && events.length < maxEvents) {
        const next = await readEvents(api, { ...first, cursor: pagination.next_cursor }, signal);
        events = [...events, ...next.items];
        pagination = next.pagination;
      }
      return { ...ordersOf(events), isPart: pagination.next_cursor !== null };
    },
  });
}
