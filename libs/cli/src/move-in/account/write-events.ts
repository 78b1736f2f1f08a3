import type { MarketingPlatform } from '@marketing-platform/sdk';
import type { Steps } from '@mp/move-in/steps';
import { createEventWriter } from '@mp/move-in/write-events';
import type { Manifest } from '../../move-out/export-folder.ts';
import { rowsOf } from '../../move-out/export-folder.ts';
import { trackWith } from '../sdk-target.ts';
import type { OpenState } from '../state-file.ts';
import { type Identifiers, identifiersOf } from './contact-rows.ts';

type Row = Record<string, unknown>;
type Deps = { mp: MarketingPlatform; folder: string; manifest: Manifest; steps: Steps; save: OpenState['save'] };

/** The events of an export. */
export async function writeAccountEvents({ mp, folder, manifest, steps, save }: Deps): Promise<void> {
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
      ...{ ...(page !== null && { context: { page } }), ...(value !== null && { value }) },
    };
  }

  const contacts = manifest.parts.events?.count ? await contactsById() : new Map<string, Identifiers>();
  await createEventWriter({ track: trackWith(mp), steps, save })(rowsOf(folder, 'events', manifest), (row) => bodyOf(row, contacts));
}
