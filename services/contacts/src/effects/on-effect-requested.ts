import type { Contact } from '@mp/contracts/contact';
import { ApiError, type ErrorCode } from '@mp/contracts/errors';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { on } from '@mp/service-kit/consume';
import type { EffectsStore } from '@mp/service-kit/effects-store';
import type { Outbox } from '@mp/service-kit/outbox';
import type { z } from 'zod';
import { consentsAtMerge, dateRepeatedConsents } from '../consent/date-repeated-consents.ts';
import type { LoadContext } from '../contacts/account-context.ts';
import { changeContact } from '../contacts/contact.ts';
import { UpdateContactBody } from '../contacts/contact-body.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
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

type Change = z.output<typeof ContactEffectRequested.data>['change'];

/**
 * Carries out the effect that a workflow step requested, once per key, and publishes the result. A run that waits too long
 * requests the effect again with a new event: it gets the same result, and changes made since then are kept.
 */
export const onEffectRequested = ({ contacts, merges, effects, loadContext, saveContacts, outbox }: Deps) =>
  on(ContactEffectRequested, async (tx, { account_id, data }) => {
    const { effect_key, run_id, contact_id, change } = data;
    const publishResult = (given: EffectResult) => outbox.add(tx, ContactEffectCompleted, account_id, { effect_key, run_id, ...given });
    const earlier = await effects.resultOf(account_id, effect_key, tx);
    if (earlier) return publishResult(earlier);
    const settle = async (status: EffectResult['status'], reason: string | null, revision: number | null) => {
      await effects.keep(tx, account_id, effect_key, { status, reason, revision });
      await publishResult({ status, reason, revision });
    };

    const before = await contacts.findOne(account_id, contact_id, tx);
    if (!before) return settle('refused', 'The contact no longer exists.', null);
    const body = UpdateContactBody.safeParse(membersOf(change, before));
    if (!body.success)
      return settle('refused', body.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '), null);
    const refusal = await refusalOf(async () => {
      const context = await loadContext(account_id, [before, body.data]);
      const atMerge = await consentsAtMerge(merges, tx, account_id, { ids: [before.id], bodies: [body.data.consent] });
      const consent = dateRepeatedConsents(before.consent, body.data.consent, atMerge.get(before.id));
      const { contact, changed } = changeContact(before, { ...body.data, consent }, context);
      const draft = changedDraft(before, contact, { changed, body: consent });
      if (changed.length > 0 && (await contacts.allTakenFrom(account_id, contact, tx)).length > 0)
        return settle('refused', 'Another contact already has this email, phone or external_id.', null);
      if (hasNews(draft)) await saveContacts(tx, account_id, { context, drafts: [draft] });
      return settle('done', null, contact.revision);
    });
    if (refusal) await settle('refused', refusal, null);
  });

function membersOf(change: Change, { tags, attributes }: Pick<Contact, 'tags' | 'attributes'>) {
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

async function refusalOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && refusals.includes(error.code)) return error.message;
    throw error;
  }
}
