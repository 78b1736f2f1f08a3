import { BlockList, isIP } from 'node:net';

/** Whether the text is an IPv4 or IPv6 address, or a range in CIDR notation. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
}

/** A membership test for a set of addresses. IPv4-mapped IPv6 addresses count as IPv4. */
export function addressSet(list: readonly string[]): (address: string) => boolean {
  if (list.length === 0) return () => false;
  const set = new BlockList();
  for (const range of list) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    set.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && set.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
