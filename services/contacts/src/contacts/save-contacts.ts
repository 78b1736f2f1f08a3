import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Contact, suppressionHash } from '@mp/contracts/contact';
import { ConsentChanged, ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import { type ConsentsBody, consentSteps, outdatedSteps } from '../consent/consent.ts';
import type { ConsentLogStore, LoggedStep } from '../consent/consent-log-store.ts';
import type { TimelineStore } from '../timeline/timeline-store.ts';
import type { AccountFacts } from './account-facts.ts';
import type { Entrance } from './contact.ts';
import type { ContactsStore } from './contacts-store.ts';

/** A contact about to be written: new without `changed`, otherwise with the paths in which it differs. */
export type Draft = {
  contact: Contact;
  isNew: boolean;
  changed: readonly string[];
  consents: readonly LoggedStep[];
  /** The contact is as it was; what was said of its consent is logged and nothing more. */
  isLogOnly?: true;
  /** Another contact that is written with it takes an identity it had. */
  givesWay?: boolean;
};

/** What a created contact was given without a word on consent is not a step: it is where its log begins. */
export const createdDraft = (contact: Contact, body?: ConsentsBody): Draft => ({
  contact,
  isNew: true,
  changed: [],
  consents: body === undefined ? [] : consentSteps(undefined, contact.consent).map((step) => ({ contact, step, body })),
});

export const changedDraft = (
  before: Contact,
  contact: Contact,
  changed: readonly string[],
  body?: ConsentsBody,
  entrance: Entrance = 'api',
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

/** A contact that was gone and is there again; how its consent differs from when it went is logged. */
export const returnedDraft = (before: Contact, contact: Contact): Draft => ({
  ...createdDraft(contact),
  consents: consentSteps(before.consent, contact.consent).map((step) => ({ contact, step, body: undefined })),
});

/** Whether there is anything to write. */
export const hasNews = ({ isLogOnly, consents }: Draft) => !isLogOnly || consents.length > 0;

export type SaveContacts = ReturnType<typeof createSaveContacts>['save'];
export type RemoveContact = ReturnType<typeof createSaveContacts>['remove'];

/** It was merged into another; or those that had been merged into it go with it, perhaps erased. */
type Removal = { mergedInto?: string; mergedIds?: readonly string[]; erased?: boolean };

type Parts = {
  contacts: ContactsStore;
  attributes: AttributesStore;
  consentLog: ConsentLogStore;
  timeline: TimelineStore;
  outbox: Outbox;
};

/** All that belongs to writing contacts, in one transaction: the rows, their events, types of new attributes, the consent log. */
export function createSaveContacts({ contacts, attributes, consentLog, timeline, outbox }: Parts) {
  return {
    /**
     * One event for each contact. Of a single one it throws CONFLICT, naming the contact that has its identity to whoever
     * may know; or the duplicate key as it is to a caller who looks `again`.
     */
    async save(
      tx: Transaction,
      accountId: string,
      facts: Pick<AccountFacts, 'learn' | 'undeclared'>,
      drafts: readonly Draft[],
      { nameExisting = false, onDuplicate = 'conflict' as 'conflict' | 'again' } = {},
    ) {
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
      const events = await meanwhile(contacts.write(tx, accountId, written, onDuplicate === 'conflict' && { nameExisting }), makeEvents);
      for (const { contact } of written) facts.learn(contact.attributes);
      await attributes.declare(tx, accountId, facts.undeclared(), new Date());
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
          ...told(contact, step),
        })),
      );
    },

    async remove(tx: Transaction, accountId: string, contact: Contact, { mergedInto, mergedIds = [], erased = false }: Removal = {}) {
      await contacts.remove(tx, accountId, contact.id);
      await outbox.add(tx, ContactDeleted, accountId, {
        contact_id: contact.id,
        revision: contact.revision + 1,
        ...(mergedInto !== undefined && { merged_into: mergedInto }),
        ...(mergedIds.length > 0 && { merged_ids: [...mergedIds] }),
        ...(erased && { erased }),
      });
    },
  };
}

/** Works while something is being written, instead of before or after. Resolves when both are done. */
async function meanwhile<Made>(writing: Promise<unknown>, work: () => Made): Promise<Made> {
  // By then the database has what it is to write.
  const made = nextTurn().then(work);
  const [written, worked] = await Promise.allSettled([writing, made]);
  if (written.status === 'rejected') throw written.reason;
  if (worked.status === 'rejected') throw worked.reason;
  return worked.value;
}

/** What changed a consent, and was not only said. */
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

function told(contact: Contact, step: LoggedStep['step']) {
  const { contact_id, revision, at, ...facts } = changeOf(contact, step);
  return { at: new Date(contact.updated_at), facts };
}
