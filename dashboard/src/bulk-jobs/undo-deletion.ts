import { type Api, responseData } from '../api/api.ts';
import type { BulkJob } from './bulk-jobs.ts';

/** The maximum number of contacts that Undo restores; the API restores any others for 30 days. */
export const maxUndone = 1_000;
const atOnce = 5;

/** Restores the contacts that a bulk job has deleted; returns how many. */
export async function undoDeletion(api: Api, job: BulkJob): Promise<number> {
  const ids = await changedBy(api, job);
  for (let from = 0; from < ids.length; from += atOnce) {
    await Promise.all(
      ids
        .slice(from, from + atOnce)
        .map((id) => responseData(api.POST('/v2/contacts/{id}/restore', { params: { path: { id } }, body: {} }))),
    );
  }
  return ids.length;
}

/** The IDs of the contacts that a bulk job changed, from its results. */
async function changedBy(api: Api, { id }: BulkJob): Promise<string[]> {
  const { data } = await api.GET('/v2/contacts/bulk/{id}/results.csv', { params: { path: { id } }, parseAs: 'text' });
  return String(data ?? '')
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [contactId, status] = line.split(',');
      return contactId && status === 'changed' ? [contactId] : [];
    });
}
