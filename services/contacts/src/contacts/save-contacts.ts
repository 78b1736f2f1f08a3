import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Contact, suppressionHash } from '@mp/contracts/contact';
import { ConsentChanged, ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import { type ConsentsBody, consentSteps, outdatedSteps } from '../consent/consent.ts';
import type { ConsentLogStore, LoggedStep } from '../consent/consent-log-store.ts';
import type { OptInsStore } from '../forms/opt-ins-store.ts';
import type { TimelineStore } from '../timeline/timeline-store.ts';
import type { AccountContext } from './account-context.ts';
import type { Entrance } from './contact.ts';
import type { ContactsStore } from './contacts-store.ts';

/** A contact to be written. `changed` has the paths that differ; it is empty for a new contact. */
export type Draft = {
  contact: Contact;
  isNew: boolean;
  changed: readonly string[];
  consents: readonly LoggedStep[];
  /** The contact is unchanged; only its consent log gets entries. */
  isLogOnly?: true;
  /** Another contact written with it takes over one of its identifiers. */
  releasesIdentifier?: boolean;
};

/** The default consent of a new contact is not logged as a step; the log starts from it. */
export const createdDraft = (contact: Contact, body?: ConsentsBody): Draft => ({
  contact,
  isNew: true,
  changed: [],
  consents: body === undefined ? [] : consentSteps(undefined, contact.consent).map((step) => ({ contact, step, body })),
});

export const changedDraft = (
  before: Contact,
  contact: Contact,
  { changed, body, entrance = 'api' }: { changed: readonly string[]; body?: ConsentsBody | undefined; entrance?: Entrance },
): Draft => ({
  contact,
  isNew: false,
  changed,
  consents: [...consentSteps(before.consent, contact.consent), ...outdatedSteps(before.consent, body, entrance)].map((step) => ({
    contact,
    step,
    body,
  })),
  ...(contact === before && { isLogOnly: true }),
});

/** A restored contact; the difference from its consent before the deletion is logged. */
export const returnedDraft = (before: Contact, contact: Contact): Draft => ({
  ...createdDraft(contact),
  consents: consentSteps(before.consent, contact.consent).map((step) => ({ contact, step, body: undefined })),
});

export const hasNews = ({ isLogOnly, consents }: Draft) => !isLogOnly || consents.length > 0;

export type SaveContacts = ReturnType<typeof createSaveContacts>['save'];
export type RemoveContact = ReturnType<typeof createSaveContacts>['remove'];

/** The reason and extent: the contact was merged into another, or is deleted (or erased) with those merged into it. */
type Removal = { mergedInto?: Pick<Contact, 'id' | 'email'>; mergedIds?: readonly ContactId[]; erased?: boolean; restorableUntil?: Date };

type Saving = {
  context: Pick<AccountContext, 'learn' | 'undeclared'>;
  drafts: readonly Draft[];
  nameExisting?: boolean;
  onDuplicate?: 'conflict' | 'again';
};

type Parts = {
  contacts: ContactsStore;
  attributes: AttributesStore;
  consentLog: ConsentLogStore;
  timeline: TimelineStore;
  outbox: Outbox;
  optIns: Pick<OptInsStore, 'endOthers'>;
};

/** Writes contacts with everything that belongs to them in one transaction: events, new attribute types, consent log, timeline. */
export function createSaveContacts({ contacts, attributes, consentLog, timeline, outbox, optIns }: Parts) {
  /** Links go to an address: what awaits a confirmation ends with a change of it, so that no earlier link ever confirms again. */
  async function endRequests(tx: Transaction, accountId: AccountId, id: ContactId, email: string | null) {
    const address = email === null ? null : suppressionHash(accountId, 'email', email);
    await optIns.endOthers(tx, accountId, await contacts.idsOf(accountId, id, tx), address);
  }

  return {
    /**
     * Publishes one event per contact. If another contact has an identifier of a single draft, throws CONFLICT, which names
     * that contact if `nameExisting`. With `onDuplicate: 'again'` throws the duplicate key error, so that the caller can retry.
     */
    async save(tx: Transaction, accountId: AccountId, { context, drafts, nameExisting = false, onDuplicate = 'conflict' }: Saving) {
      const written = drafts.filter(({ isLogOnly }) => !isLogOnly);
      const [created, updated] = [written.filter(({ isNew }) => isNew), written.filter(({ isNew }) => !isNew)];
      const makeEvents = () => [
        ...outbox.eventsOf(
          tx,
          ContactCreated,
          accountId,
          created.map(({ contact }) => ({ contact })),
        ),
        ...outbox.eventsOf(
          tx,
          ContactUpdated,
          accountId,
          updated.map(({ contact, changed }) => ({ contact, changed: [...changed] })),
        ),
        ...outbox.eventsOf(
          tx,
          ConsentChanged,
          accountId,
          updated.flatMap(takenSteps).map(({ contact, step }) => ({
            ...changeOf(contact, step),
            ...(contact.email !== null && { address_hash: suppressionHash(accountId, 'email', contact.email) }),
          })),
        ),
      ];
      const events = await whileWriting(contacts.write(tx, accountId, written, onDuplicate === 'conflict' && { nameExisting }), makeEvents);
      for (const { contact, changed } of updated)
        if (changed.includes('email')) await endRequests(tx, accountId, contact.id, contact.email);
      for (const { contact } of written) context.learn(contact.attributes);
      await attributes.declare(tx, accountId, context.undeclared(), new Date());
      await outbox.insert(tx, events);
      await consentLog.add(
        tx,
        accountId,
        drafts.flatMap(({ consents }) => consents),
      );
      await timeline.add(
        tx,
        accountId,
        written.flatMap(takenSteps).map(({ contact, step }) => ({
          contact_id: contact.id,
          kind: 'consent',
          type: 'contacts.consent.changed',
          ...timelineFieldsOf(contact, step),
        })),
      );
    },

    async remove(tx: Transaction, accountId: AccountId, contact: Contact, removal: Removal = {}) {
      const { mergedInto, mergedIds = [], erased = false, restorableUntil } = removal;
      await endRequests(tx, accountId, contact.id, mergedInto?.email ?? null);
      await contacts.remove(tx, accountId, contact.id);
      await outbox.add(tx, ContactDeleted, accountId, {
        contact_id: contact.id,
        revision: contact.revision + 1,
        ...(mergedInto !== undefined && { merged_into: mergedInto.id }),
        ...(mergedIds.length > 0 && { merged_ids: [...mergedIds] }),
        ...(erased && { erased }),
        ...(restorableUntil && { restorable_until: restorableUntil.toISOString() }),
      });
    },
  };
}

/** Runs `work` while a write is in progress. Resolves when both are done. */
async function whileWriting<Made>(writing: Promise<unknown>, work: () => Made): Promise<Made> {
  // The next turn of the event loop: by then the write has been sent to the database.
  const made = nextTurn().then(work);
  const [written, worked] = await Promise.allSettled([writing, made]);
  if (written.status === 'rejected') throw written.reason;
  if (worked.status === 'rejected') throw worked.reason;
  return worked.value;
}

/** The steps that changed a consent, without outdated ones. */
const takenSteps = ({ consents }: Draft) => consents.filter(({ step }) => step.outdated === null);

const changeOf = (contact: Contact, { channel, topic, before, after }: LoggedStep['step']) => ({
  contact_id: contact.id,
  revision: contact.revision,
  channel,
  topic,
  before: before?.status ?? null,
  status: after?.status ?? null,
  method: after?.method ?? null,
  at: after?.at ?? contact.updated_at,
});

function timelineFieldsOf(contact: Contact, step: LoggedStep['step']) {
  const { contact_id, revision, at, ...facts } = changeOf(contact, step);
  return { at: new Date(contact.updated_at), facts };
}
