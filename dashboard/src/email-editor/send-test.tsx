import { Button, Group, Modal, Stack, TagsInput, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { responseData, useApi } from '../api/api.ts';
import { ErrorAlert } from '../api/error-alert.tsx';
import { SenderField } from '../campaigns/sender-field.tsx';
import { counted } from '../numbers/format-number.ts';
import { useSendingSettings } from '../sending/sending-settings.ts';
import { sessionQuery } from '../session/session-query.ts';
import type { Sendable } from './email-preview.tsx';

export type Sender = { email: string; name: string | null; reply_to: string | null };

type Props = {
  content: Sendable;
  /** The sender of the campaign; a template has none. */
  sender: Sender | undefined;
  contactId: string | undefined;
};

const maxAddresses = 5;
const missing = 'Enter an address.';

/** Sends the email as it is now, saved or not, to up to five addresses. */
export function SendTest({ content, sender, contactId }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Send test…
      </Button>
      {isOpen && <Dialog content={content} sender={sender} contactId={contactId} onClose={() => setOpen(false)} />}
    </>
  );
}

function Dialog({ content, sender, contactId, onClose }: Props & { onClose: () => void }) {
  const api = useApi();
  const { data: session } = useQuery(sessionQuery);
  const { data: settings } = useSendingSettings();
  const usual = settings?.default_sender;
  // A user who signed in with a link of the command line may have no address.
  const own = session?.email ?? usual?.email;
  const [addresses, setTo] = useState<string[]>();
  const to = addresses ?? (own ? [own] : []);
  const [typed, setFrom] = useState(sender?.email || undefined);
  const from = typed ?? usual?.email ?? '';
  const [isSubmitted, setSubmitted] = useState(false);
  const test = useMutation({
    mutationFn: () => {
      const { subject, preview_text, html, text } = content;
      return responseData(
        api.POST('/v2/campaigns/test', {
          body: {
            to,
            ...(contactId !== undefined && { contact_id: contactId }),
            from: { email: from, name: (sender ?? usual)?.name ?? null },
            reply_to: (sender ?? usual)?.reply_to ?? null,
            content: { subject, preview_text: preview_text.trim() === '' ? null : preview_text, html, text },
          },
        }),
      );
    },
    onSuccess: ({ messages }) => {
      notifications.show({ message: `Test sent to ${counted(messages.length, 'address', 'addresses')}.` });
      onClose();
    },
  });
  const send = () => {
    setSubmitted(true);
    if (to.length > 0 && from !== '') test.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Send a test" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <TagsInput
          label="To"
          description={`Up to ${maxAddresses} addresses. Press Enter after each.`}
          placeholder={to.length === 0 ? 'you@example.com' : ''}
          maxTags={maxAddresses}
          acceptValueOnBlur
          value={to}
          onChange={setTo}
          error={isSubmitted && to.length === 0 && missing}
          data-autofocus
        />
        <SenderField label="From email" value={from} onChange={setFrom} error={isSubmitted && from === '' && missing} />
        <Text size="sm" c="dimmed">
          {contactId === undefined
            ? 'Fields are empty or show their fallback. Choose a contact in the preview to test with its fields.'
            : 'Uses the fields of the contact in the preview.'}{' '}
          Tests are marked [Test] and are not counted.
        </Text>
        {test.error && <ErrorAlert error={test.error} title="Couldn't send the test" />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={test.isPending} onClick={send}>
            Send test
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
