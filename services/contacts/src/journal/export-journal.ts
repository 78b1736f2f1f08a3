import { EventEnvelope, type EventType } from '@mp/contracts/event';
import { MessageBounced, MessageSent, MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { ConsentChanged, ContactErased, SuppressionAdded, SuppressionRemoved } from '@mp/contracts/events/contacts';
import { AccountChanged, AccountErased, CredentialChanged, CredentialRevoked } from '@mp/contracts/events/platform';
import { EffectDelivered, WebhookDelivered } from '@mp/contracts/events/workflows';
import type { JournalOf, RecordedEntry } from '@mp/contracts/journal';
import { streams } from '@mp/contracts/streams';
import type { Broker } from '@mp/service-kit/broker';
import type { z } from 'zod';

type Kind = RecordedEntry['kind'];
type Entry<One extends Kind = Kind> = One extends Kind ? Omit<JournalOf<One>, 'account_id' | 'at'> : never;
type Recorded = { event: EventType; entryOf: (data: unknown) => Entry | undefined };

const record = <Data extends z.ZodType>(event: EventType<Data>, entryOf: (data: z.output<Data>) => Entry | undefined): Recorded => ({
  event,
  entryOf: (data) => entryOf(event.data.parse(data)),
});

const messageOf = (
  state: 'sent' | 'bounced' | 'failed',
  data: Pick<z.output<(typeof MessageSent)['data']>, 'recipient_id' | 'contact_id' | 'campaign_id' | 'workflow_id' | 'effect_key'>,
): Entry<'message'> => {
  const { recipient_id, contact_id, campaign_id, workflow_id, effect_key } = data;
  return { kind: 'message', state, recipient_id, contact_id, campaign_id, workflow_id, ...(effect_key !== undefined && { effect_key }) };
};

const suppressionOf = (
  lifted: boolean,
  { kind, value, hash, reason }: z.output<(typeof SuppressionAdded)['data']>,
): Entry<'suppression'> => ({
  kind: 'suppression',
  of: kind,
  // An address is recorded by its hash only: the journal outlives erased contacts.
  domain: kind === 'domain' ? value : null,
  hash,
  reason,
  lifted,
});

/** The events that a restored backup must not undo or repeat. */
const recorded: readonly Recorded[] = [
  record(ContactErased, ({ erasure_id, contact_id, merged_ids }) => ({
    kind: 'erasure',
    erasure_id,
    contact_ids: [contact_id, ...merged_ids],
  })),
  record(ConsentChanged, ({ contact_id, channel, topic, status, method, at, address_hash }) => ({
    kind: 'consent',
    ...{ contact_id, channel, topic, status, method, given_at: at },
    ...(address_hash !== undefined && { address_hash }),
  })),
  // Contacts may not have received it before the failure.
  record(MessageUnsubscribed, ({ contact_id, channel, at }) => ({
    kind: 'consent',
    ...{ contact_id, channel, topic: null, status: 'unsubscribed', method: 'link', given_at: at },
  })),
  record(SuppressionAdded, (data) => suppressionOf(false, data)),
  record(SuppressionRemoved, (data) => suppressionOf(true, data)),
  record(CredentialChanged, ({ credential_id, state }) => ({ kind: 'credential', credential_id, ...(state && { state }) })),
  record(CredentialRevoked, ({ key_id, hash }) => ({ kind: 'credential', credential_id: key_id, secret_hash: hash })),
  record(AccountChanged, ({ status, revision }) =>
    status === undefined || revision === undefined ? undefined : { kind: 'account', status, revision },
  ),
  record(AccountErased, () => ({ kind: 'account_erasure' })),
  record(MessageSent, (data) => messageOf('sent', data)),
  record(MessageBounced, (data) => messageOf(data.hard ? 'bounced' : 'failed', data)),
  record(EffectDelivered, ({ at: _, ...data }) => ({ kind: 'effect', ...data })),
  record(WebhookDelivered, ({ webhook_id, event_ids }) => ({ kind: 'delivery', webhook_id, event_ids })),
];

const byType = new Map(recorded.map((one) => [`${one.event.type}.v${one.event.version}`, one]));

const read = [streams.platform, streams.contacts, streams.campaigns, streams.workflows];

/** The journal entry for an event; undefined if the event is not recorded. */
export function journalEntryOf(payload: string): RecordedEntry | undefined {
  const envelope = EventEnvelope.safeParse(JSON.parse(payload)).data;
  if (!envelope) return undefined;
  const entry = byType.get(`${envelope.type}.v${envelope.version}`)?.entryOf(envelope.data);
  return entry && { ...entry, account_id: envelope.account_id, at: envelope.time };
}

/** Reads the journal from the streams, which survive the loss of MongoDB. Warns if a stream does not go back far enough. */
export function createExportJournal(
  broker: Pick<Broker, 'readSince'>,
  warn: (text: string) => void = (text) => void process.stderr.write(`${text}\n`),
) {
  function readable(stream: string, payload: string): RecordedEntry | undefined {
    try {
      return journalEntryOf(payload);
    } catch (error) {
      warn(`An event of ${stream} cannot be read and is not in this export: ${error} ${payload.slice(0, 300)}`);
      return undefined;
    }
  }

  return async (since: Date, write: (entry: RecordedEntry) => Promise<void>): Promise<void> => {
    for (const stream of read) {
      const kept = await broker.readSince(stream, since, async (payload) => {
        const entry = readable(stream.name, payload);
        if (entry) await write(entry);
      });
      if (kept === undefined || kept > since)
        warn(
          `${stream.name} has ${kept ? `no events from before ${kept.toISOString()}` : 'no events'}: older events are not in this export.`,
        );
    }
  };
}
