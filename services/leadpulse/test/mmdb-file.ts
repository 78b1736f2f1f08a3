import ipaddr from 'ipaddr.js';

const separatorBytes = 16;

type Value = string | number | Value[] | { [name: string]: Value };

const control = (type: number, size: number) => (type < 8 ? [(type << 5) | size] : [size, type - 7]);

/** A value in the data format of MMDB 2.0; texts and maps are short, numbers are whole. */
function encoded(value: Value): number[] {
  if (typeof value === 'string') {
    const bytes = [...Buffer.from(value)];
    return [...control(2, bytes.length), ...bytes];
  }
  if (typeof value === 'number') {
    const bytes = [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
    return [...control(6, 4), ...bytes];
  }
  if (Array.isArray(value)) return [...control(11, value.length), ...value.flatMap(encoded)];
  const fields = Object.entries(value);
  return [...control(7, fields.length), ...fields.flatMap(([name, field]) => [...encoded(name), ...encoded(field)])];
}

const bitsOf = (bytes: readonly number[]) => bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((shift) => (byte >> shift) & 1));

/** The bits of a network in a tree of IPv6, in which IPv4 is below `::/96`. */
function networkBits(cidr: string): number[] {
  const [address, length] = ipaddr.parseCIDR(cidr);
  const bits = bitsOf(address.toByteArray()).slice(0, length);
  return address instanceof ipaddr.IPv4 ? [...Array<number>(96).fill(0), ...bits] : bits;
}

type Child = { node: number } | { offset: number };

/** The bytes of an MMDB file with a value for each network. */
export function mmdbFile(rows: Readonly<Record<string, Value>>): Buffer {
  const data: number[] = [];
  const children = new Map<string, Child>();
  let nodeCount = 1;
  for (const [cidr, value] of Object.entries(rows)) {
    const bits = networkBits(cidr);
    const last = bits.pop();
    let node = 0;
    for (const bit of bits) {
      const child = children.get(`${node} ${bit}`) ?? { node: nodeCount++ };
      if ('offset' in child) throw new Error(`${cidr} overlaps another network`);
      children.set(`${node} ${bit}`, child);
      node = child.node;
    }
    children.set(`${node} ${last}`, { offset: data.length });
    data.push(...encoded(value));
  }
  const recordOf = (child: Child | undefined) =>
    child === undefined ? nodeCount : 'node' in child ? child.node : nodeCount + separatorBytes + child.offset;
  const tree = Array.from({ length: nodeCount * 2 }, (_, index) => {
    const record = recordOf(children.get(`${index >> 1} ${index & 1}`));
    return [16, 8, 0].map((shift) => (record >>> shift) & 0xff);
  });
  const metadata = {
    ...{ node_count: nodeCount, record_size: 24, ip_version: 6, database_type: 'Test-Country', languages: ['en'] },
    ...{ binary_format_major_version: 2, binary_format_minor_version: 0, build_epoch: 1_700_000_000, description: { en: 'test' } },
  };
  const marker = [0xab, 0xcd, 0xef, ...Buffer.from('MaxMind.com')];
  return Buffer.from([...tree.flat(), ...Array<number>(separatorBytes).fill(0), ...data, ...marker, ...encoded(metadata)]);
}
