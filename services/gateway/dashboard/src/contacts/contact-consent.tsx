import { Text } from '@mantine/core';
import { Facts, Panel } from '../shell/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import type { Contact } from './contacts.ts';

type Consent = NonNullable<Contact['consent']['email']>;

const words: Record<Consent['status'], string> = {
  subscribed: 'Subscribed',
  pending: 'Asked, not yet confirmed',
  unsubscribed: 'Unsubscribed',
};
const ways: Record<Consent['method'], string> = {
  api: 'by API',
  form: 'by a form',
  import: 'by an import',
  double_opt_in: 'by double opt-in',
  link: 'by a link in a mail',
};

/** What they agreed to, when and how; by topic where it differs. */
export function ContactConsent({ contact: { consent } }: { contact: Contact }) {
  const topics = Object.entries(consent.topics ?? {});
  return (
    <Panel title="Consent">
      <Facts
        facts={{
          'E-mail': <Given consent={consent.email} />,
          SMS: <Given consent={consent.sms} />,
          ...Object.fromEntries(
            topics.flatMap(([topic, { email, sms }]) => [
              [`${topic}, e-mail`, email && <Given consent={email} />],
              [`${topic}, SMS`, sms && <Given consent={sms} />],
            ]),
          ),
        }}
      />
    </Panel>
  );
}

function Given({ consent }: { consent: Consent | null }) {
  if (!consent)
    return (
      <Text span inherit c="dimmed">
        Never asked
      </Text>
    );
  return (
    <>
      {words[consent.status]}{' '}
      <Text span inherit c="dimmed">
        {ways[consent.method]}, <RelativeTime at={consent.at} />
      </Text>
    </>
  );
}
