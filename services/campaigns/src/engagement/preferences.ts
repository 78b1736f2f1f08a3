import { MessageResubscribed, MessageTopicsChanged } from '@mp/contracts/events/campaigns';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { FindMailable } from '../audience/contactables/mailable-contacts.ts';
import { hasUnsubscribed, leftAt, ownChoices } from '../audience/contactables/mailable-contacts.ts';
import type { SuppressionsStore } from '../audience/contactables/suppressions-store.ts';
import { messageOf } from '../ledger/recipients/message-of.ts';
import { isPublished, type RecipientDocument } from '../ledger/recipients/recipient-row.ts';
import type { ContentsStore } from '../messages/contents-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { TopicChoice } from './preference-page.ts';
import { textsFor } from './preference-texts.ts';
import type { RecordEngagement, Seen } from './record-engagement.ts';

type Deps = {
  mongo: Mongo;
  outbox: Outbox;
  contents: ContentsStore;
  settings: SettingsStore;
  suppressions: SuppressionsStore;
  findMailable: FindMailable;
  recordEngagement: RecordEngagement;
};

export type Preferences = ReturnType<typeof createPreferences>;

/** What the recipient of an email chose to receive. A choice takes effect at once, before the contacts service has stored it. */
export function createPreferences({ mongo, outbox, contents, settings, suppressions, findMailable, recordEngagement }: Deps) {
  /** The topics of the account with the recipient's choice, and the locale of the contact. */
  async function of(row: RecipientDocument): Promise<{ topics: TopicChoice[]; locale: string | null; isUnsubscribed: boolean }> {
    const { account_id, contact_id } = row;
    if (!isPublished(row)) return { topics: [], locale: null, isUnsubscribed: false };
    const { topics } = await settings.of(account_id);
    const verdict = (await findMailable(account_id, [contact_id], { keep: false })).get(contact_id);
    const left = await suppressions.topicsLeft(
      account_id,
      contact_id,
      topics.map(({ id }) => id),
    );
    const consent = verdict?.contact?.consent;
    const choices = await suppressions.choicesOf(account_id, contact_id);
    const hasLeftChannel = leftAt(consent?.email, choices) !== undefined;
    const isSubscribed = (id: string) => {
      const own = consent?.topics?.[id]?.email;
      const topicLeftAt = left.get(id);
      if (topicLeftAt && (!own || topicLeftAt >= new Date(own.at))) return false;
      if (hasLeftChannel) return ownChoices(consent, choices).has(id);
      return own?.status !== 'unsubscribed' && own?.status !== 'pending';
    };
    return {
      topics: topics.map(({ id, name }) => ({ id, name, subscribed: isSubscribed(id) })),
      locale: verdict?.contact?.locale ?? null,
      isUnsubscribed: hasUnsubscribed(consent, choices),
    };
  }

  async function change(row: RecipientDocument, seen: Seen, changes: readonly { topic: string; subscribed: boolean }[]) {
    if (!isPublished(row) || changes.length === 0) return;
    const { account_id, contact_id: contactId } = row;
    const { at } = seen;
    await mongo.transaction({ correlationId: seen.requestId, causationId: null }, async (tx) => {
      for (const { topic, subscribed } of changes) {
        if (subscribed) await suppressions.joinedTopic(tx, account_id, { contactId, topic });
        else await suppressions.leftTopic(tx, account_id, { contactId, topic, at });
      }
      const topics = changes.map(({ topic, subscribed }) => ({
        topic,
        status: subscribed ? ('subscribed' as const) : ('unsubscribed' as const),
      }));
      await outbox.add(tx, MessageTopicsChanged, account_id, {
        ...messageOf(row, at),
        topics,
        evidence: `preferences in message ${row._id}`,
      });
    });
  }

  return {
    of,

    /** Stores which of the account's topics the recipient wants; the others are left. */
    async choose(row: RecipientDocument, seen: Seen, wanted: readonly string[]) {
      const { topics } = await of(row);
      const changes = topics.map(({ id, subscribed }) => ({ topic: id, before: subscribed, subscribed: wanted.includes(id) }));
      await change(
        row,
        seen,
        changes.filter(({ before, subscribed }) => before !== subscribed),
      );
    },

    /** Subscribes a contact again that has unsubscribed from all; the topics stay as they were. `acceptLanguage`: of the page it saw. */
    async resubscribe(row: RecipientDocument, seen: Seen, acceptLanguage: string | undefined) {
      if (!isPublished(row)) return;
      const { account_id, contact_id } = row;
      const { at } = seen;
      const contact = (await findMailable(account_id, [contact_id], { keep: false })).get(contact_id)?.contact;
      const { texts } = textsFor(contact?.locale, acceptLanguage);
      await mongo.transaction({ correlationId: seen.requestId, causationId: null }, async (tx) => {
        if (!hasUnsubscribed(contact?.consent, await suppressions.choicesOf(account_id, contact_id, tx))) return;
        await suppressions.resubscribed(tx, account_id, contact_id, at);
        await outbox.add(tx, MessageResubscribed, account_id, {
          ...messageOf(row, at),
          channel: 'email',
          evidence: `preferences in message ${row._id}`,
          text: `${texts.resubscribeHint} ${texts.resubscribe}`,
        });
      });
    },

    /** The one-click request: leaves the topic of the campaign, or unsubscribes if it has none. */
    async leave(row: RecipientDocument, seen: Seen) {
      const topic = row.source === 'campaign' ? (await contents.of(row))?.content.topic : null;
      if (topic) await change(row, seen, [{ topic, subscribed: false }]);
      else await recordEngagement.unsubscribed(row, seen);
    },
  };
}
