import type { DnsRecord } from './dns-records.ts';

/** The part of Node's DNS resolver that checks use. */
export type DnsResolver = {
  resolveTxt: (name: string) => Promise<string[][]>;
  resolveCname: (name: string) => Promise<string[]>;
};

type Wanted = Omit<DnsRecord, 'found'>;

/** A name without the record; any other error means that the DNS could not be asked. */
const absent = new Set(['ENOTFOUND', 'ENODATA']);

const orNone = <T>(found: Promise<T[]>): Promise<T[]> =>
  found.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && absent.has(String(error.code))) return [];
    throw error;
  });

const tagsOf = (record: string) =>
  new Map(record.split(';').map((tag) => [tag.split('=', 1)[0]?.trim() ?? '', tag.replace(/^[^=]*=/, '').replace(/\s/g, '')]));

const withoutDot = (name: string) => name.toLowerCase().replace(/\.$/, '');

/** Whether the DNS has the record: the same key or target, or any policy that allows what the record would. */
async function isSet(dns: DnsResolver, { purpose, type, name, value }: Wanted): Promise<boolean> {
  if (type === 'CNAME') return (await orNone(dns.resolveCname(name))).some((target) => withoutDot(target) === withoutDot(value));
  const texts = (await orNone(dns.resolveTxt(name))).map((parts) => parts.join(''));
  switch (purpose) {
    case 'dkim':
      return texts.some((text) => tagsOf(text).get('p') === tagsOf(value).get('p'));
    case 'dmarc':
      return texts.some((text) => /^v=DMARC1\s*(;|$)/i.test(text));
    default: {
      const include = /include:\S+/.exec(value)?.[0] ?? value;
      return texts.some((text) => /^v=spf1(\s|$)/i.test(text) && text.toLowerCase().split(/\s+/).includes(include.toLowerCase()));
    }
  }
}

/** The records with what the DNS has; `found` is null for a record about which the DNS could not be asked. */
export const checkRecords = (dns: DnsResolver, records: readonly Wanted[]): Promise<DnsRecord[]> =>
  Promise.all(records.map(async (record) => ({ ...record, found: await isSet(dns, record).catch(() => null) })));
