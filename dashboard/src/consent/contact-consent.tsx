import { Group } from '@mantine/core';
import type { Contact } from '../contacts/contacts.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { ChangeConsent } from './change-consent.tsx';
import { ConsentByChannel } from './consent-by-channel.tsx';

/** The current consent, with a link to its history and evidence. */
export function ContactConsent({ contact }: { contact: Contact }) {
  const { mayWrite } = usePermission();
  return (
    <Panel
      title="Consent"
      action={
        <Group gap="xs">
          <ButtonLink size="xs" variant="default" to="/contacts/$id/consent" params={{ id: contact.id }}>
            History
          </ButtonLink>
          {mayWrite && <ChangeConsent contact={contact} />}
        </Group>
      }
    >
      <ConsentByChannel contact={contact} />
    </Panel>
  );
}
