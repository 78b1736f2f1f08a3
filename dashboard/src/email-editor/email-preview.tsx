import { Box, Group, SegmentedControl, Skeleton, Stack, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { responseData, useApi } from '../api/api.ts';
import { ErrorAlert } from '../api/error-alert.tsx';
import { RequestFailed } from '../api/errors.ts';
import { MailFrame } from '../email-frame/email-frame.tsx';
import type { Problem } from './html-editor.tsx';
import { PreviewContact, PreviewFacts } from './preview-contact.tsx';

/** The email as it would be saved. */
export type Sendable = { subject: string; preview_text: string; html: string; text: string | null };

/** The email rendered for a contact, or with empty fields. Fails with the errors of its templates. */
export function useContentPreview({ subject, preview_text, html, text }: Sendable, contactId: string | undefined, readsData: boolean) {
  const api = useApi();
  const body = {
    ...(subject.trim() !== '' && { subject }),
    ...(preview_text.trim() !== '' && { preview_text }),
    ...(text !== null && { text }),
    ...(contactId !== undefined && { contact_id: contactId }),
    ...(readsData && { data: {} }),
    html,
  };
  return useQuery({
    queryKey: ['content-preview', body],
    queryFn: ({ signal }) => responseData(api.POST('/v2/campaigns/preview', { body, signal })),
    placeholderData: (before) => before,
    enabled: html !== '' || text !== null,
    retry: false,
    gcTime: 60_000,
  });
}

/** The errors of one part of an email, with their lines. */
export const problemsOf = (error: Error | null, part: string): Problem[] =>
  error instanceof RequestFailed
    ? error.details
        .filter(({ path }) => path === part)
        .map(({ line, message = '' }) => ({ line: typeof line === 'number' ? line : undefined, message }))
    : [];

type Props = {
  content: Sendable;
  preview: ReturnType<typeof useContentPreview>;
  contactId: string | undefined;
  onContact: (id: string | undefined) => void;
};

/** The email as a contact gets it, on a phone or a computer, in light or dark. */
export function EmailPreview({ content, preview: { data: preview, error }, onContact }: Props) {
  const scheme = useComputedColorScheme('light');
  const [width, setWidth] = useState('desktop');
  const [shownScheme, setScheme] = useState<string>(scheme);
  return (
    <Stack gap="sm">
      <Group gap="xs" align="start">
        <Box flex="1 1 260px">
          <PreviewContact onContact={onContact} />
        </Box>
        <SegmentedControl
          size="xs"
          aria-label="Width"
          data={[
            { value: 'desktop', label: 'Desktop' },
            { value: 'phone', label: 'Phone' },
          ]}
          value={width}
          onChange={setWidth}
        />
        <SegmentedControl
          size="xs"
          aria-label="Color scheme"
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={shownScheme}
          onChange={setScheme}
        />
      </Group>
      {error && <ErrorAlert error={error} title="Couldn't render the email" />}
      {!preview && !error && content.html !== '' && <Skeleton height={460} role="status" aria-label="Loading the preview" />}
      {preview && !error && <PreviewFacts preview={preview} />}
      <MailFrame
        html={preview && !error ? preview.html : content.html}
        title={preview && !error ? 'Email preview' : 'Unsaved email preview'}
        isNarrow={width === 'phone'}
        isDark={shownScheme === 'dark'}
      />
    </Stack>
  );
}
