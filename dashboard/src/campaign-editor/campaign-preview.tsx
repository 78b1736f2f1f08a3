import { Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { type Campaign, usePreviewOf } from '../campaigns/campaigns.ts';
import { PreviewContact, PreviewFacts } from '../email-editor/preview-contact.tsx';
import { MailFrame } from '../email-frame/email-frame.tsx';
import { useVariant } from './use-variant.tsx';

/** The saved email, rendered for one contact or with empty fields. */
export function CampaignPreview({ campaign }: { campaign: Pick<Campaign, 'id' | 'revision' | 'ab_test'> }) {
  const [contactId, setContactId] = useState<string>();
  const { variant, field } = useVariant(campaign, 'Variant');
  const { data: preview, error } = usePreviewOf(campaign, { contactId, variant });
  return (
    <Stack gap="sm">
      <Group gap="xs" align="start">
        <PreviewContact onContact={setContactId} />
        {field}
      </Group>
      {error && <ErrorAlert error={error} title="Couldn't render the email" />}
      {!preview && !error && <Outline of="the preview" shape="email" />}
      {preview && !error && (
        <>
          <PreviewFacts preview={preview} />
          <MailFrame html={preview.html} title="Email preview" />
        </>
      )}
    </Stack>
  );
}
