import type { Contact } from '../contacts/contacts.ts';
import { Facts } from '../shell/panel.tsx';
import { Given } from './given.tsx';

/** The consent of a contact by channel, and by topic where one is recorded. */
export function ConsentFacts({ contact: { consent } }: { contact: Pick<Contact, 'consent'> }) {
  const topics = Object.entries(consent.topics ?? {});
  return (
    <Facts
      facts={{
        Email: <Given consent={consent.email} />,
        SMS: <Given consent={consent.sms} />,
        ...Object.fromEntries(
          topics.flatMap(([topic, { email, sms }]) => [
            [`${topic}, email`, email && <Given consent={email} />],
            [`${topic}, SMS`, sms && <Given consent={sms} />],
          ]),
        ),
      }}
    />
  );
}
