import DataLoader from 'dataloader';
import { type Api, responseData } from '../api/api.ts';
import { RequestFailed } from '../api/errors.ts';
import type { Contact } from './contacts.ts';

const maxIds = 100;

/** One batch loader per API client, so that a page fetches the names of all its contacts together. */
const loaders = new WeakMap<Api, DataLoader<string, Contact | null>>();

/** Loads a contact by ID, batched with all loads of the same tick; null if it does not exist. */
export function loadContact(api: Api, id: string): Promise<Contact | null> {
  const loader = loaders.get(api) ?? loaderOf(api);
  loaders.set(api, loader);
  return loader.load(id);
}

const loaderOf = (api: Api) =>
  new DataLoader<string, Contact | null>(
    async (ids) => {
      const query = { 'id[in]': ids.join(','), limit: maxIds };
      const { items } = await responseData(api.GET('/v2/contacts', { params: { query } }));
      const found = new Map(items.map((contact) => [contact.id, contact]));
      return Promise.all(ids.map((id) => found.get(id) ?? byMergedId(api, id)));
    },
    // TanStack Query does the caching.
    { maxBatchSize: maxIds, cache: false },
  );

/** The list endpoint does not resolve the IDs of merged contacts; the single-contact endpoint does. */
async function byMergedId(api: Api, id: string): Promise<Contact | Error | null> {
  try {
    return await responseData(api.GET('/v2/contacts/{id}', { params: { path: { id } } }));
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 404) return null;
    return error instanceof Error ? error : new Error(String(error));
  }
}
