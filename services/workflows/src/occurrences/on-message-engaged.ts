import type { EventEnvelope } from '@mp/contracts/event';
import { MessageClicked, MessageOpened, MessageReclassified } from '@mp/contracts/events/campaigns';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { OccurToContact } from './occur-to-contact.ts';

type Message = { contact_id: string; effect_key?: string | undefined; at: string };

/** An open or click by a person applies to the run that sent the email, also when it is found to be human only later. */
export const onMessageEngaged = ({ occurToContact }: { occurToContact: OccurToContact }) => {
  async function happened(tx: Transaction, event: EventEnvelope<Message>, type: 'message_opened' | 'message_clicked') {
    const { contact_id: contactId, effect_key, at } = event.data;
    if (effect_key === undefined) return;
    const named = { id: event.id, eventId: event.id, accountId: event.account_id, contactId };
    await occurToContact(tx, { ...named, at: new Date(at), occurred: { type, effect_key } });
  }
  return [
    on(MessageOpened, (tx, event) => (event.data.machine ? Promise.resolve() : happened(tx, event, 'message_opened'))),
    on(MessageClicked, (tx, event) => (event.data.machine ? Promise.resolve() : happened(tx, event, 'message_clicked'))),
    on(MessageReclassified, (tx, event) => {
      const { machine, activity } = event.data;
      return machine ? Promise.resolve() : happened(tx, event, activity === 'opened' ? 'message_opened' : 'message_clicked');
    }),
  ];
};
