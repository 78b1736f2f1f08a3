import { TraitsApplied } from '@mp/contracts/events/contacts';
import { ContactIdentified } from '@mp/contracts/events/leadpulse';
import type { AccountId, ContactId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { z } from 'zod';
import type { ErasuresStore } from '../erasures/erasures-store.ts';
import { CreateContactBody, type Identity, identities } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';
import type { IdentifiedFieldsStore } from './identified-fields-store.ts';
import type { UpsertChunk } from './upsert-contacts.ts';

type Identified = z.output<typeof ContactIdentified.data>;
type Refused = z.input<typeof TraitsApplied.data>['refused'];
type Result = { contactId: ContactId | null; refused: Refused };
type Fields = Record<string, unknown>;

/** `refused`: an identifier that the contact cannot get. */
type Target = { contactId: ContactId | undefined; matchOn: Identity; identifiers: Fields; refused?: Refused };

type Deps = {
  contacts: Pick<ContactsStore, 'findOne' | 'findByIdentities'>;
  upsertChunk: UpsertChunk;
  outbox: Outbox;
  identifiedFields: Pick<IdentifiedFieldsStore, 'laterThan' | 'note'>;
  erasures: Pick<ErasuresStore, 'erasedSince'>;
};

/** Fields are refused one at a time; a call with more invalid ones is refused as a whole. */
const maxRefused = 20;

/**
 * Creates or updates the contact that a call to the Segment-compatible API names. The external ID decides who it is. The email only
 * finds a contact that has no other external ID, so that two users with one address stay two contacts. A field that is invalid, or
 * an identifier that another contact has, is rejected without affecting the other fields.
 */
export function onContactIdentified({ contacts, identifiedFields, upsertChunk, outbox, erasures }: Deps) {
  /** The identifiers that the contact may get, and the one that finds it; undefined if a contact ID finds none. */
  async function matchingOf(tx: Transaction, accountId: AccountId, identified: Identified): Promise<Target | undefined> {
    const { contact_id, external_id, email } = identified;
    if (contact_id !== null) {
      const contact = await contacts.findOne(accountId, contact_id, tx);
      const matchOn = contact && identities.find((name) => contact[name] !== null);
      return matchOn && { contactId: contact.id, matchOn, identifiers: { [matchOn]: contact[matchOn] } };
    }
    const [owner] = email === null ? [] : await contacts.findByIdentities(tx, accountId, [{ email }]);
    if (external_id === null) return { contactId: owner?.id, matchOn: 'email', identifiers: { email } };
    const [known] = await contacts.findByIdentities(tx, accountId, [{ external_id }]);
    if (!known && owner?.external_id === null) return { contactId: owner.id, matchOn: 'email', identifiers: { external_id, email } };
    const isTaken = owner !== undefined && owner.id !== known?.id;
    const own = email === null || isTaken ? { external_id } : { external_id, email };
    return { contactId: known?.id, matchOn: 'external_id', identifiers: own, refused: isTaken ? [taken] : [] };
  }

  /** Writes the fields that are valid together. Each round without success refuses one. */
  async function upsert(
    tx: Transaction,
    accountId: AccountId,
    { row, matchOn, refused }: { row: Fields; matchOn: Identity; refused: Refused },
  ): Promise<Result> {
    for (let fields = row; refused.length <= maxRefused; ) {
      const parsed = CreateContactBody.safeParse(fields);
      const [result] = parsed.success
        ? await upsertChunk(tx, accountId, [{ index: 0, body: parsed.data }], {
            matching: { matchOn, changeIdentifiers: true },
            entrance: 'api',
          })
        : [];
      if (result && result.status !== 'error') return { contactId: result.id, refused };
      const issue = parsed.error?.issues[0];
      const path = issue ? issue.path.map(String) : (result?.error.path ?? '').split('/').slice(1);
      const reason = issue?.message ?? result?.error.message ?? 'invalid';
      refused.push({ path: `/${path.join('/')}`, reason: reason.slice(0, 300) });
      const without = leaveOut(fields, path);
      if (!without || without[matchOn] == null) break;
      fields = without;
    }
    return { contactId: null, refused };
  }

  async function apply(tx: Transaction, accountId: AccountId, identified: Identified): Promise<Result> {
    const target = await matchingOf(tx, accountId, identified);
    if (!target) return { contactId: null, refused: [{ path: '/contact_id', reason: 'The contact does not exist.' }] };
    const { contactId: known, matchOn, identifiers, refused = [] } = target;
    const { key } = identified;
    const later = known ? await identifiedFields.laterThan(tx, accountId, known, key) : new Set<string>();
    const given: Fields = { ...identified.fields, ...identifiers };
    const isOutdated = (path: readonly string[]) => later.has(path.join('/')) && path[0] !== matchOn;
    const [outdated, current] = [pathsOf(given).filter(isOutdated), pathsOf(given).filter((path) => !isOutdated(path))];
    const fields = outdated.reduce((left, path) => leaveOut(left, path) ?? left, given);
    const result = await upsert(tx, accountId, {
      row: { ...fields, ...(!known && { source: 'segment' }) },
      matchOn,
      refused: [...refused],
    });
    const isRefused = (path: string) => result.refused.some((one) => one.path === `/${path}`);
    const paths = current.map((path) => path.join('/')).filter((path) => !isRefused(path));
    if (result.contactId) await identifiedFields.note(tx, accountId, result.contactId, { key, paths });
    return result;
  }

  async function isErased(tx: Transaction, accountId: AccountId, { address_hash, external_hash, received_at }: Identified) {
    const hashes = [address_hash, external_hash].filter((hash) => hash !== undefined);
    return received_at !== undefined && hashes.length > 0 && erasures.erasedSince(tx, accountId, hashes, new Date(received_at));
  }

  return on(ContactIdentified, async (tx, { account_id, data }) => {
    const isGone = await isErased(tx, account_id, data);
    const { contactId, refused } = isGone ? { contactId: null, refused: [erased] } : await apply(tx, account_id, data);
    await outbox.add(tx, TraitsApplied, account_id, { key: data.key, contact_id: contactId, refused });
  });
}

const erased = { path: '/', reason: 'The contact was erased after this call.' };

const taken = { path: '/email', reason: 'Another contact with a different external_id has this email.' };

/** The paths of the fields, each member of an address and each attribute on its own. */
const pathsOf = (fields: Fields): string[][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).map((member) => [name, member]) : [[name]],
  );

/** The fields without the one at this path; undefined if there is none. */
function leaveOut(fields: Fields, [name, ...rest]: readonly string[]): Fields | undefined {
  if (name === undefined || !Object.hasOwn(fields, name)) return undefined;
  const { [name]: value, ...others } = fields;
  const [key] = rest;
  if (key === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return others;
  return { ...others, [name]: Object.fromEntries(Object.entries(value).filter(([own]) => own !== key)) };
}
