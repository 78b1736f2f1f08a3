import { Alert, Button, Group, Skeleton, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { responseData, useApi } from '../api/api.ts';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Facts } from '../shell/panel.tsx';
import { type Campaign, usePreviewOf } from './campaigns.ts';
import { MailFrame } from './mail-frame.tsx';

/** The saved email, rendered for one contact or with empty fields. */
export function CampaignPreview({ campaign }: { campaign: Pick<Campaign, 'id' | 'revision'> }) {
  const api = useApi();
  const [email, setEmail] = useState('');
  const [contactId, setContactId] = useState<string>();
  const { data: preview, error } = usePreviewOf(campaign, contactId);
  const find = useMutation({
    mutationFn: async () => {
      if (email.trim() === '') return undefined;
      const { items } = await responseData(api.GET('/v2/contacts', { params: { query: { email: email.trim() } } }));
      const [contact] = items;
      if (!contact) throw new Error(`No contact has the address ${email.trim()}.`);
      return contact.id;
    },
    onSuccess: setContactId,
  });

  return (
    <Stack gap="sm">
      <Group gap="xs" align="start">
        <TextInput
          size="xs"
          aria-label="Preview as this contact"
          placeholder="Preview as ada@example.com"
          flex="1 1 180px"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Enter must not submit the campaign form around it.
            event.preventDefault();
            find.mutate();
          }}
          error={find.error?.message}
        />
        <Button size="xs" variant="default" loading={find.isPending} onClick={() => find.mutate()}>
          Preview
        </Button>
      </Group>
      {error && <ErrorAlert error={error} title="Couldn't render the email" />}
      {!preview && !error && <Skeleton height={460} role="status" aria-label="Loading the preview" />}
      {preview && !error && (
        <>
          <Facts facts={{ Subject: preview.subject, 'Preview text': preview.preview_text }} />
          {preview.missing_fields.length > 0 && (
            <Alert color="gray" role="note">
              No value for {preview.missing_fields.join(', ')}: left blank in this preview.
            </Alert>
          )}
          <MailFrame html={preview.html} title="Email preview" />
        </>
      )}
    </Stack>
  );
}
