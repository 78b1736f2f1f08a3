import type { recordOf } from './domain.ts';

/** The part of Node's DNS resolver that proofs of domains use. */
export type DnsResolver = { resolveTxt: (name: string) => Promise<string[][]> };

/** A name without the record; any other error means that the DNS could not be asked. */
const absent = new Set(['ENOTFOUND', 'ENODATA']);

/** Whether the DNS has the record; undefined if it could not be asked. */
export async function findRecord(dns: DnsResolver, { name, value }: ReturnType<typeof recordOf>): Promise<boolean | undefined> {
  try {
    return (await dns.resolveTxt(name)).some((parts) => parts.join('').trim() === value);
  } catch (error) {
    return error instanceof Error && 'code' in error && absent.has(String(error.code)) ? false : undefined;
  }
}
