import { z } from 'zod';
import { ConsentTopic } from './contact.ts';

const Sender = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^@\s]*@[^@\s]+$/, 'expected an address such as news@example.com, or a domain such as @example.com');

/** What a role may send and activate, beside its scopes. */
export const SendingLimits = z
  .strictObject({
    topics: z
      .array(ConsentTopic)
      .max(100)
      .nullable()
      .default(null)
      .describe('The topics that emails must have. Null: any topic, or none. Messages and emails of workflows have no topic.'),
    senders: z
      .array(Sender)
      .max(100)
      .nullable()
      .default(null)
      .describe('The addresses that emails may come from; `@example.com` is every address of the domain. Null: any.'),
  })
  .meta({ id: 'SendingLimits' });
export type SendingLimits = z.output<typeof SendingLimits>;

/** Whether the limits allow everything. */
export const isUnlimited = ({ topics, senders }: SendingLimits) => topics === null && senders === null;

/** Why the limits do not allow an email with this topic and from this address; undefined if they do. */
export function beyondLimits(
  limits: SendingLimits | null | undefined,
  { topic, sender }: { topic: string | null; sender: string },
): string | undefined {
  const { topics = null, senders = null } = limits ?? {};
  if (topics && (topic === null || !topics.includes(topic))) {
    const named = topic === null ? 'emails without a topic' : `emails about ${topic}`;
    return `Your role may not send ${named}; its topics are ${topics.join(', ') || 'none'}.`;
  }
  const address = sender.toLowerCase();
  if (senders && !senders.includes(address) && !senders.includes(address.slice(address.lastIndexOf('@')))) {
    return `Your role may not send from ${sender}; its senders are ${senders.join(', ') || 'none'}.`;
  }
  return undefined;
}
