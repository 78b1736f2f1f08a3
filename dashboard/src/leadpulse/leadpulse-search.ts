import type { Breakdown, VisitorSearch } from './leadpulse.ts';

export const ranges = [7, 28, 90] as const;
export const breakdowns: readonly { by: Breakdown; name: string }[] = [
  { by: 'page', name: 'Page' },
  { by: 'channel', name: 'Channel' },
  { by: 'source', name: 'Source' },
  { by: 'referrer', name: 'Referrer' },
  { by: 'utm_source', name: 'UTM source' },
  { by: 'utm_campaign', name: 'UTM campaign' },
  { by: 'country', name: 'Country' },
  { by: 'device', name: 'Device' },
  { by: 'browser', name: 'Browser' },
  { by: 'event', name: 'Event' },
];

export type TrafficSearch = { days?: (typeof ranges)[number]; by?: Breakdown };

/** Parses the URL parameters of the traffic page. */
export function trafficSearch(raw: Record<string, unknown>): TrafficSearch {
  const days = ranges.find((one) => one === Number(raw.days));
  const by = breakdowns.find((one) => one.by === raw.by)?.by;
  return { ...(days && { days }), ...(by && { by }) };
}

/** Parses the URL parameters of the visitor list. */
export function visitorSearch({ contact_id, identified, event }: Record<string, unknown>): VisitorSearch {
  return {
    ...(typeof contact_id === 'string' && contact_id !== '' && { contact_id }),
    ...((identified === 'true' || identified === true) && { identified: 'true' as const }),
    ...((identified === 'false' || identified === false) && { identified: 'false' as const }),
    ...(typeof event === 'string' && event !== '' && { event }),
  };
}
