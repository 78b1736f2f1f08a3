import { Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { useBrand } from '../brand/brand.ts';
import type { ContentDraft, ContentForm } from '../email-design/content.ts';
import { newDesign } from '../email-design/design.ts';
import { Gallery } from '../lists/gallery.tsx';
import { useWholeList } from '../lists/use-whole-list.ts';
import { notifyUndo } from '../page/notify-undo.tsx';
import { StarterList } from './starter-list.tsx';
import { contentDraftOf, useReadTemplate, useTemplates } from './templates.ts';

type Props = { form: ContentForm; opened: boolean; onClose: () => void };

/** Replaces the content of an email by that of a template. The email gets a copy. */
export function TemplatePicker({ form, opened, onClose }: Props) {
  const withdrawUndo = useRef<() => void>(undefined);
  // Without its form there is nothing to undo.
  useEffect(() => () => withdrawUndo.current?.(), []);
  const replace = (name: string, content: Partial<ContentDraft>) => {
    const { subject, preview_text, html, text, mjml, design } = form.values;
    form.setValues(content);
    withdrawUndo.current?.();
    withdrawUndo.current = notifyUndo(`The content was replaced with ${name}.`, () =>
      form.setValues({ subject, preview_text, html, text, mjml, design }),
    );
    onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Start from a template" size="xl" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Choices subject={form.values.subject} onPick={replace} />
    </Modal>
  );
}

type ChoicesProps = { subject: string; onPick: (name: string, content: Partial<ContentDraft>) => void };

function Choices({ subject, onPick }: ChoicesProps) {
  const templates = useWholeList(useTemplates('name'));
  const { data: brand } = useBrand();
  const read = useReadTemplate();
  const error = templates.error ?? read.error;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        The content of this email is replaced.
      </Text>
      {brand && (
        <StarterList
          onPick={(starter) => {
            const design = newDesign(brand, starter.content);
            onPick(starter.name, {
              ...{ design, html: '', text: '', mjml: null },
              subject: subject.trim() === '' ? starter.subject : subject,
            });
          }}
        />
      )}
      {error && <ErrorAlert error={error} title="Couldn't load the templates" />}
      {templates.isPending && <Outline of="the templates" shape="cards" />}
      {templates.rows.length > 0 && (
        <>
          <Text size="sm" fw={500}>
            Your templates
          </Text>
          <Gallery
            starters={templates.rows.map(({ id, name, description }) => ({ id, name, describes: description ?? '' }))}
            pending={read.isPending ? read.variables : undefined}
            onPick={({ id, name }) =>
              read.mutate(id, {
                onSuccess: (template) => {
                  const { subject: own, ...content } = contentDraftOf(template);
                  onPick(name, { ...content, subject: own || subject });
                },
              })
            }
          />
        </>
      )}
    </Stack>
  );
}
