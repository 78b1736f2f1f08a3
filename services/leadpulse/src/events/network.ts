import ipaddr from 'ipaddr.js';

/** The network an address is in, /24 or /48: all that is ever stored of it. */
export function networkOf(address: string): string {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/24`).toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/48`).toString();
}
