import { Group, NativeSelect, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { PreviewContact, PreviewFacts } from '../email-editor/preview-contact.tsx';
import { type Campaign, usePreviewOf } from './campaigns.ts';
import { MailFrame } from './mail-frame.tsx';

/** The saved email, rendered for one contact or with empty fields. */
export function CampaignPreview({ campaign }: { campaign: Pick<Campaign, 'id' | 'revision' | 'ab_test'> }) {
  const [contactId, setContactId] = useState<string>();
  const [chosen, setVariant] = useState<string>();
  // The chosen variant may have been removed.
  const variants = campaign.ab_test?.variants.map(({ id }) => id) ?? [];
  const variant = variants.find((id) => id === chosen) ?? variants[0];
  const { data: preview, error } = usePreviewOf(campaign, { contactId, variant });
  return (
    <Stack gap="sm">
      <Group gap="xs" align="start">
        <PreviewContact onContact={setContactId} />
        {campaign.ab_test && (
          <NativeSelect
            size="xs"
            aria-label="Variant"
            data={variants.map((id) => ({ value: id, label: `Variant ${id.toUpperCase()}` }))}
            value={variant}
            onChange={(event) => setVariant(event.currentTarget.value)}
          />
        )}
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
