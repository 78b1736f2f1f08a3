import { Box, Code, Group, SegmentedControl, Stack, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { responseData, useApi } from '../api/api.ts';
import { ErrorAlert } from '../api/error-alert.tsx';
import { RequestFailed } from '../api/errors.ts';
import { Outline } from '../api/outline.tsx';
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

/** Where the email on a computer and on a phone have room beside each other, and where the plain text has, too. */
const sideBySide = 1_000;
const allBeside = 1_120;

/** The email as a contact gets it, on a computer, on a phone and as plain text, side by side where there is room, in light or dark. */
export function EmailPreview({ content, preview: { data: preview, error }, onContact }: Props) {
  const scheme = useComputedColorScheme('light');
  const { ref, width } = useElementSize();
  const isWide = width >= sideBySide;
  const hasAll = width >= allBeside;
  const [chosen, setView] = useState('desktop');
  const view = hasAll || (isWide && chosen === 'phone') ? 'desktop' : chosen;
  const [shownScheme, setScheme] = useState<string>(scheme);
  const shown = preview && !error ? preview : content;
  const title = shown === preview ? 'Email preview' : 'Unsaved email preview';
  const isDark = shownScheme === 'dark';
  const plainText = (
    <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {shown.text ?? 'Generated from the HTML when the email is sent.'}
    </Code>
  );
  return (
    <Stack gap="sm" ref={ref}>
      <Group gap="xs" align="start">
        <Box flex="1 1 260px">
          <PreviewContact onContact={onContact} />
        </Box>
        {!hasAll && (
          <SegmentedControl
            size="xs"
            aria-label="Shown as"
            data={[
              { value: 'desktop', label: isWide ? 'Desktop and phone' : 'Desktop' },
              ...(isWide ? [] : [{ value: 'phone', label: 'Phone' }]),
              { value: 'text', label: 'Plain text' },
            ]}
            value={view}
            onChange={setView}
          />
        )}
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
      {!preview && !error && content.html !== '' && <Outline of="the preview" shape="email" />}
      {preview && !error && <PreviewFacts preview={preview} />}
      {view === 'text' ? (
        plainText
      ) : (
        <Group align="start" wrap="nowrap">
          <Box flex={1} miw={0}>
            <MailFrame html={shown.html ?? ''} title={title} isNarrow={view === 'phone'} isDark={isDark} />
          </Box>
          {isWide && (
            <Box w={hasAll ? 340 : 375}>
              <MailFrame html={shown.html ?? ''} title={`${title} on a phone`} isNarrow isDark={isDark} />
            </Box>
          )}
          {hasAll && (
            <Box component="section" aria-label="Plain text" w={230}>
              {plainText}
            </Box>
          )}
        </Group>
      )}
    </Stack>
  );
}
