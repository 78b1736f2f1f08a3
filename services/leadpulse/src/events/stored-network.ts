import ipaddr from 'ipaddr.js';

/** The /24 (IPv4) or /48 (IPv6) network of an address, the only part that is stored. */
export function storedNetworkOf(address: string): string {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/24`).toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/48`).toString();
}
