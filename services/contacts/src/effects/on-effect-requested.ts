import type { Contact } from '@mp/contracts/contact';
import { ApiError, type ErrorCode } from '@mp/contracts/errors';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import type { AccountId, ContactId } from '@mp/ids';
import { causedBy } from '@mp/service-kit/caused-by';
import { onAll } from '@mp/service-kit/consume';
import type { EffectsStore } from '@mp/service-kit/effects-store';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { z } from 'zod';
import { consentsAtMerge, dateRepeatedConsents } from '../consent/date-repeated-consents.ts';
import type { LoadContext } from '../contacts/account-context.ts';
import { changeContact } from '../contacts/contact.ts';
import { UpdateContactBody } from '../contacts/contact-body.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { createKnown } from '../contacts/known-contacts.ts';
import { changedDraft, hasNews, type SaveContacts } from '../contacts/save-contacts.ts';
import type { MergesStore } from '../merges/merges-store.ts';

/** What is kept of an effect, and published again when it is requested again. */
export const EffectResult = ContactEffectCompleted.data.pick({ status: true, reason: true, revision: true });
type EffectResult = z.output<typeof EffectResult>;

type Deps = {
  contacts: ContactsStore;
  merges: MergesStore;
  effects: EffectsStore<EffectResult>;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  outbox: Outbox;
};

type Requested = z.output<typeof ContactEffectRequested.data>;

/** An effect that a step requested, for the contact that it names. */
type Effect = { accountId: AccountId; key: string; contactId: ContactId; data: Requested };

type Change = { effect: Effect; before: Contact; body: z.output<typeof UpdateContactBody> };

const refused = (reason: string): EffectResult => ({ status: 'refused', reason, revision: null });

/**
 * Carries out the effects that workflow steps requested, once per key, and publishes their results. A run that waits too long
 * requests the effect again with a new event: it gets the same result, and changes made since then are kept.
 */
export function onEffectRequested({ contacts, merges, effects, loadContext, saveContacts, outbox }: Deps) {
  /** Changes contacts of an account, in order: a change sees the identifiers and attribute keys that those before it took. */
  async function change(tx: Transaction, accountId: AccountId, changes: readonly Change[]): Promise<Map<Effect, EffectResult>> {
    const [befores, bodies] = [changes.map(({ before }) => before), changes.map(({ body }) => body)];
    const ids = befores.map(({ id }) => id);
    const context = await loadContext(accountId, [...befores, ...bodies]);
    const atMerge = await consentsAtMerge(merges, tx, accountId, { ids, bodies: bodies.map(({ consent }) => consent) });
    const known = createKnown([...befores, ...(await contacts.findByIdentities(tx, accountId, bodies))], atMerge);

    const results = changes.map(({ effect, before, body }) => {
      const result = orRefused(() => {
        const consent = dateRepeatedConsents(before.consent, body.consent, known.atMerge(before));
        const { contact, changed } = changeContact(before, { ...body, consent }, context);
        if (known.taken(contact)) return refused('Another contact already has this email, phone or external_id.');
        const draft = changedDraft(before, contact, { changed, body: consent });
        if (hasNews(draft)) known.put(before, draft);
        if (changed.length > 0) context.learn(contact.attributes);
        return { status: 'done', reason: null, revision: contact.revision };
      });
      return [effect, result] as const;
    });
    const drafts = known.drafts();
    if (drafts.length > 0) await saveContacts(tx, accountId, { context, drafts });
    return new Map(results);
  }

  async function carryOut(tx: Transaction, effects: readonly Effect[]): Promise<Map<Effect, EffectResult>> {
    const contactOf = await contacts.findNamed(tx, effects);
    const checked = effects.map((effect) => ({ effect, ...checkChange(effect.data.change, contactOf(effect)) }));
    const results = new Map(checked.flatMap((one) => ('reason' in one ? [[one.effect, refused(one.reason)] as const] : [])));
    const changes = checked.filter((one) => 'body' in one);
    // A group may also have an event of the survivor, whose change the other must see and whose cause is another.
    if (tx.causedBy && changes.some(({ effect, before }) => before.id !== effect.contactId))
      throw new Error('A contact that was merged into another cannot be changed in a group.');
    for (const [accountId, own] of Map.groupBy(changes, ({ effect }) => effect.accountId))
      for (const [effect, result] of await change(tx, accountId, own)) results.set(effect, result);
    return results;
  }

  return onAll(ContactEffectRequested, async (tx, events) => {
    const requested = events.map(({ account_id, data }): Effect => {
      return { accountId: account_id, key: data.effect_key, contactId: data.contact_id, data };
    });
    const earlier = await effects.results(requested, tx);
    const results = await carryOut(
      tx,
      requested.filter((effect) => !earlier(effect)),
    );
    await effects.keep(
      tx,
      [...results].map(([{ accountId, key }, result]) => ({ accountId, key, result })),
    );
    const completed = requested.flatMap((effect) => {
      const { accountId, key: effect_key, data } = effect;
      const result = earlier(effect) ?? results.get(effect);
      // The result names the run, and a group knows its causes by contact.
      const caused = causedBy(tx, tx.causedBy?.(data));
      return result ? outbox.eventsOf(caused, ContactEffectCompleted, accountId, [{ effect_key, run_id: data.run_id, ...result }]) : [];
    });
    await outbox.insert(tx, completed);
  });
}

/** The fields that the change gives the contact, or why it is refused. */
function checkChange(change: Requested['change'], before: Contact | undefined): Pick<Change, 'before' | 'body'> | { reason: string } {
  if (!before) return { reason: 'The contact no longer exists.' };
  const { data: body, error } = UpdateContactBody.safeParse(membersOf(change, before));
  if (error) return { reason: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
  return { before, body };
}

function membersOf(change: Requested['change'], { tags, attributes }: Pick<Contact, 'tags' | 'attributes'>) {
  switch (change.type) {
    case 'update_contact':
      return withIncrements(change.members, change.increment ?? {}, attributes);
    case 'add_tag':
      return { tags: [...tags, change.tag] };
    case 'remove_tag':
      return { tags: tags.filter((tag) => tag !== change.tag) };
  }
}

/** The fields with incremented attributes. One that is not a number becomes NaN, which the check of the fields rejects by name. */
function withIncrements(members: Record<string, unknown>, increment: Record<string, number>, attributes: Contact['attributes']) {
  const numbers = Object.entries(increment).map(([name, by]) => {
    const key = name.slice('attributes.'.length);
    const before = attributes[key] ?? 0;
    return [key, typeof before === 'number' ? before + by : Number.NaN] as const;
  });
  if (numbers.length === 0) return members;
  const own = typeof members.attributes === 'object' ? members.attributes : {};
  return { ...members, attributes: { ...own, ...Object.fromEntries(numbers) } };
}

/** Errors that refuse an effect: they are its result, and retrying would not help. */
const refusals: readonly ErrorCode[] = ['VALIDATION_ERROR', 'PLAN_LIMIT_EXCEEDED'];

function orRefused(work: () => EffectResult): EffectResult {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError && refusals.includes(error.code)) return refused(error.message);
    throw error;
  }
}
