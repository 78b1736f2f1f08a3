import type { Contact } from '../contacts/contacts.ts';
import { DescriptionList } from '../page/description-list.tsx';
import { ConsentStatus } from './consent-status.tsx';

/** The consent of a contact by channel, and by topic where one is recorded. */
export function ConsentByChannel({ contact: { consent } }: { contact: Pick<Contact, 'consent'> }) {
  const topics = Object.entries(consent.topics ?? {});
  return (
    <DescriptionList
      items={{
        Email: <ConsentStatus consent={consent.email} />,
        SMS: <ConsentStatus consent={consent.sms} />,
        ...Object.fromEntries(
          topics.flatMap(([topic, { email, sms }]) => [
            [`${topic}, email`, email && <ConsentStatus consent={email} />],
            [`${topic}, SMS`, sms && <ConsentStatus consent={sms} />],
          ]),
        ),
      }}
    />
  );
}
