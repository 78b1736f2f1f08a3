import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { type Event, keptDays } from '../events/event.ts';

const maxBlocked = 100;
const maxNetworks = 100;
const minRetentionDays = 30;

const isNetwork = (text: string) => ipaddr.isValidCIDR(text) || ipaddr.isValid(text);

/** An account's settings for events that are received from now on. */
export const LeadpulseSettings = z
  .object({
    blocked_properties: z
      .array(z.string().trim().min(1).max(200))
      .max(maxBlocked)
      .describe('Properties that are dropped before an event is stored. `card` also drops nested ones, such as `card.number`.'),
    store_networks: z.boolean().describe('Whether the network of the IP address (/24 or /48) is stored with an event.'),
    excluded_networks: z
      .array(z.string().trim().max(64).refine(isNetwork, 'expected an IP address or a CIDR range such as 203.0.113.0/24'))
      .max(maxNetworks)
      .describe('Addresses of internal traffic, whose events from pages are rejected.'),
    retention_days: z
      .number()
      .int()
      .min(minRetentionDays)
      .max(keptDays)
      .describe(
        'How long events, sessions and visitors are stored. Older events are rejected. Analytics without a filter are kept longer, because they are counted in advance.',
      ),
  })
  .meta({ id: 'LeadpulseSettings' });
export type LeadpulseSettings = z.output<typeof LeadpulseSettings>;

export const defaultSettings: LeadpulseSettings = {
  blocked_properties: [],
  store_networks: true,
  excluded_networks: [],
  retention_days: keptDays,
};

/** The event without what the account does not want to store. */
export function withoutBlocked(event: Event, { blocked_properties, store_networks }: LeadpulseSettings): Event {
  const isBlocked = (name: string) => blocked_properties.some((blocked) => name === blocked || name.startsWith(`${blocked}.`));
  return {
    ...event,
    ...(blocked_properties.length > 0 && {
      properties: Object.fromEntries(Object.entries(event.properties).filter(([name]) => !isBlocked(name))),
    }),
    ...(!store_networks && { context: { ...event.context, network: null } }),
  };
}

/** Whether an address belongs to internal traffic. */
export function isExcluded(address: string, { excluded_networks }: LeadpulseSettings): boolean {
  if (excluded_networks.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return excluded_networks.some((network) => {
    const [range, bits] = ipaddr.isValidCIDR(network) ? ipaddr.parseCIDR(network) : [ipaddr.parse(network), undefined];
    if (range instanceof ipaddr.IPv4 && parsed instanceof ipaddr.IPv4) return parsed.match(range, bits ?? 32);
    return range instanceof ipaddr.IPv6 && parsed instanceof ipaddr.IPv6 && parsed.match(range, bits ?? 128);
  });
}
