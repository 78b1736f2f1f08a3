import type { Client } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';

const ended = ['completed', 'failed', 'cancelled'];

/** Waits until a job has ended, and returns it; `ms` is only for large ones that hang. */
export const endOfJob = (account: Client, path: string, ms?: number) =>
  eventually(async () => {
    const { data } = await account.get(path);
    return ended.includes(data.status) && data;
  }, ms);

/** Sends a file and waits for its import. */
export async function importFile(
  account: Client,
  file: string | Buffer,
  { query = '', type = 'text/csv', ms }: { query?: string; type?: string; ms?: number } = {},
) {
  const response = await account.post(`/v2/contacts/imports${query && `?${query}`}`, file, { 'content-type': type });
  if (response.status !== 202) throw new Error(response.text);
  return endOfJob(account, `/v2/contacts/imports/${response.data.id}`, ms);
}
