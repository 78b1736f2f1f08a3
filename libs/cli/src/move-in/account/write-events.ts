import type { MarketingPlatform } from '@marketing-platform/sdk';
import { noCounts, plus, type Steps } from '@mp/move-in/steps';
import type { Manifest } from '../../move-out/export-folder.ts';
import { rowsOf } from '../../move-out/export-folder.ts';
import type { OpenState } from '../state-file.ts';
import { type Identifiers, identifiersOf } from './contact-rows.ts';

type Row = Record<string, unknown>;
type Deps = { mp: MarketingPlatform; folder: string; manifest: Manifest; steps: Steps; save: OpenState['save'] };
type Tracked = { results: { status: string; error?: { message: string } }[] };

const eventsPerRequest = 500;
const maxBytes = 900_000;

/** Past events, which count in analytics and segments and start nothing. The ID of an event makes a second one a duplicate. */
export function createEventWriter({ mp, folder, manifest, steps: { step, note }, save }: Deps) {
  async function contactsById(): Promise<Map<string, Identifiers>> {
    const found = new Map<string, Identifiers>();
    for await (const row of rowsOf(folder, 'contacts', manifest)) found.set(String(row.id), identifiersOf(row));
    return found;
  }

  const idsByPhone = new Map<string, Promise<string | undefined>>();
  /** Events name contacts by address or external ID; one that has only a phone number is looked up. */
  function contactIdOf(phone: string): Promise<string | undefined> {
    const known = idsByPhone.get(phone);
    if (known) return known;
    const found = mp.contacts.list({ phone, limit: 1 }).then(({ items: [contact] }) => contact?.id);
    idsByPhone.set(phone, found);
    return found;
  }

  async function bodyOf(row: Row, contacts: ReadonlyMap<string, Identifiers>): Promise<Row> {
    const { phone, ...names } = contacts.get(String(row.contact_id)) ?? {};
    const contact_id = phone === undefined ? undefined : await contactIdOf(phone);
    const { id: message_id, visitor: visitor_id, event, timestamp, properties, page, value } = row;
    return {
      ...{ event, message_id, visitor_id, ...names, ...(contact_id !== undefined && { contact_id }), timestamp, properties },
      ...{ ...(page !== null && { context: { page } }), ...(value !== null && { value }), backfill: true },
    };
  }

  async function send(events: Row[]) {
    const { results } = await mp.request<Tracked>({ method: 'POST', path: '/v2/leadpulse/track', body: { events }, isWrite: true });
    let counts = noCounts;
    for (const [index, { status, error }] of results.entries()) {
      const one = status === 'accepted' ? 'created' : status === 'duplicate' ? 'unchanged' : 'failed';
      counts = plus(counts, { ...noCounts, [one]: 1 });
      if (one === 'failed') note(`event ${events[index]?.event} of ${events[index]?.timestamp}: ${error?.message ?? 'was rejected'}`);
    }
    return counts;
  }

  return () =>
    step('events', async (its) => {
      let counts = its.counts ?? noCounts;
      if (!manifest.parts.events?.count) return counts;
      const contacts = await contactsById();
      const done = Number(its.position ?? 0);
      let read = 0;
      let batch: Row[] = [];
      let bytes = 0;
      const flush = async () => {
        if (batch.length > 0) counts = plus(counts, await send(batch));
        [batch, bytes] = [[], 0];
        Object.assign(its, { position: String(read), counts });
        await save();
      };
      for await (const row of rowsOf(folder, 'events', manifest)) {
        read += 1;
        if (read <= done) continue;
        const body = await bodyOf(row, contacts);
        bytes += Buffer.byteLength(JSON.stringify(body)) + 1;
        batch.push(body);
        if (batch.length === eventsPerRequest || bytes > maxBytes) await flush();
      }
      await flush();
      return counts;
    });
}
