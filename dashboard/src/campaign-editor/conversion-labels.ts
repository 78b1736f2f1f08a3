import type { Campaign } from '../campaigns/campaigns.ts';
import { eventLabel } from '../names/event-labels.ts';
import { counted } from '../numbers/format-number.ts';

/** What counts as a conversion if the campaign does not say. */
const usual = { event: null, window_days: 7 };

/** What counts as a conversion of a campaign. */
export function conversionLabel(conversion: Campaign['conversion']): string {
  const { event, window_days } = conversion ?? usual;
  return `${event === null ? 'Any event with a value' : eventLabel(event)}, within ${counted(window_days, 'day')} of the last click`;
}
