import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { ContentDraft } from '../email-design/content.ts';
import { templateOf } from './template-draft.ts';
import { useCreateTemplate } from './templates.ts';

/** Makes a template of the email as it is now. */
export function SaveAsTemplate({ content }: { content: ContentDraft }) {
  const [name, setName] = useState<string>();
  const creation = useCreateTemplate();
  const close = () => {
    creation.reset();
    setName(undefined);
  };
  const save = () => {
    const { subject, preview_text, html, text, mjml, design } = content;
    creation.mutate(templateOf({ ...{ subject, preview_text, html, text, mjml, design }, name: name ?? '', description: '' }), {
      onSuccess: (template) => {
        notifications.show({ message: `${template.name} was saved as a template.` });
        close();
      },
    });
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setName('')}>
        Save as template
      </Button>
      <Modal opened={name !== undefined} onClose={close} title="Save as template" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Stack gap="md">
          <TextInput
            label="Template name"
            autoComplete="off"
            value={name ?? ''}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              // Enter must not submit the form around it.
              event.preventDefault();
              if (name?.trim()) save();
            }}
            data-autofocus
          />
          {creation.error && <ErrorAlert error={creation.error} title="Couldn't save the template" />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={creation.isPending} disabled={!name?.trim()} onClick={save}>
              Save template
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
