import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Contact } from '@mp/contracts/contact';
import { ContactsFind, ContactsPage, ContactsSuppressed } from '@mp/contracts/requests/contacts';
import { positionRequests } from '@mp/contracts/requests/positions';
import { SegmentMembersPage, SegmentsCaughtUp, SegmentsExist } from '@mp/contracts/requests/segments';
import { streams } from '@mp/contracts/streams';
import { benchParts } from '../in-process.ts';

if (!isMainThread) await response(workerData);

/** Replies to the requests of campaigns for an account with these contacts, in order of their IDs, in which every segment has all of them. */
async function response(contacts: readonly Contact[]) {
  const { broker } = benchParts('contacts');
  const places = new Map<string, number>(contacts.map(({ id }, index) => [id, index]));
  const pageAfter = (after: string | null, limit: number) => {
    const from = after === null ? 0 : (places.get(after) ?? contacts.length) + 1;
    const page = contacts.slice(from, from + limit);
    return { page, next: from + limit < contacts.length ? (page.at(-1)?.id ?? null) : null };
  };
  broker.start();
  await broker.reply(ContactsPage, async ({ after, limit }) => {
    const { page, next } = pageAfter(after, limit);
    return { contacts: page, next };
  });
  await broker.reply(ContactsFind, async ({ ids }) => ({
    contacts: ids.flatMap((id) => contacts[places.get(id) ?? contacts.length] ?? []),
  }));
  await broker.reply(ContactsSuppressed, async () => ({ suppressed: [] }));
  await broker.reply(positionRequests.contacts, async () => ({ position: await broker.position(streams.contacts), mark: null }));
  await broker.reply(SegmentsExist, async () => ({ missing: [], sources: ['contacts' as const] }));
  await broker.reply(SegmentsCaughtUp, async () => ({ state: 'caught_up' as const, as_of: new Date().toISOString() }));
  await broker.reply(SegmentMembersPage, async ({ after, limit }) => {
    const { page, next } = pageAfter(after, limit);
    return { contact_ids: page.map(({ id }) => id), next };
  });
  parentPort?.postMessage('ready');
}

/** A double of the contacts and segments services in a thread of its own. */
export async function startNeighbours(contacts: readonly Contact[]) {
  const worker = new Worker(new URL(import.meta.url), { workerData: contacts });
  await once(worker, 'message');
  return { stop: () => worker.terminate() };
}
