import { Group, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
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
      {!preview && !error && <Skeleton height={460} role="status" aria-label="Loading the preview" />}
      {preview && !error && (
        <>
          <PreviewFacts preview={preview} />
          <MailFrame html={preview.html} title="Email preview" />
        </>
      )}
    </Stack>
  );
}
