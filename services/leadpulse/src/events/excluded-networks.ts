import ipaddr from 'ipaddr.js';
import type { LeadpulseSettings } from '../settings/settings.ts';

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
