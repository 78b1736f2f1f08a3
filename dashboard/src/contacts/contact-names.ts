import DataLoader from 'dataloader';
import { type Api, answerOf } from '../api/api.ts';
import { RequestFailed } from '../api/request-failed.ts';
import type { Contact } from './contacts.ts';

const maxIds = 100;

/** One loader for each client: contacts that a page names are fetched together, however many rows name one. */
const loaders = new WeakMap<Api, DataLoader<string, Contact | null>>();

/** The contact with this id, fetched together with all others that are asked for in the same moment; null when it does not exist. */
export function loadContact(api: Api, id: string): Promise<Contact | null> {
  const loader = loaders.get(api) ?? loaderOf(api);
  loaders.set(api, loader);
  return loader.load(id);
}

const loaderOf = (api: Api) =>
  new DataLoader<string, Contact | null>(
    async (ids) => {
      const query = { 'id[in]': ids.join(','), limit: maxIds };
      const { items } = await answerOf(api.GET('/v2/contacts', { params: { query } }));
      const found = new Map(items.map((contact) => [contact.id, contact]));
      return Promise.all(ids.map((id) => found.get(id) ?? byMergedId(api, id)));
    },
    // TanStack Query is what keeps them.
    { maxBatchSize: maxIds, cache: false },
  );

/** A list knows contacts by their own ids only; the id of one that was merged into another means that other. */
async function byMergedId(api: Api, id: string): Promise<Contact | Error | null> {
  try {
    return await answerOf(api.GET('/v2/contacts/{id}', { params: { path: { id } } }));
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 404) return null;
    return error instanceof Error ? error : new Error(String(error));
  }
}
