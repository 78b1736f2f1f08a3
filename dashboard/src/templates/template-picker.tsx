import { Modal, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { useBrand } from '../brand/brand.ts';
import type { ContentForm } from '../email-editor/content.ts';
import { newDesign } from '../email-editor/design.ts';
import { useWholeList } from '../lists/use-whole-list.ts';
import classes from './starter-list.module.css';
import { StarterList } from './starter-list.tsx';
import { contentDraftOf, useReadTemplate, useTemplates } from './templates.ts';

/** Replaces the content of an email by that of a template. The email gets a copy. */
export function TemplatePicker({ form, onClose }: { form: ContentForm; onClose: () => void }) {
  const templates = useWholeList(useTemplates('name'));
  const { data: brand } = useBrand();
  const read = useReadTemplate();
  const { subject } = form.values;
  const error = templates.error ?? read.error;
  return (
    <Modal opened onClose={onClose} title="Start from a template" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          The content of this email is replaced.
        </Text>
        {brand && (
          <StarterList
            onPick={(starter) => {
              const design = newDesign(brand, starter.content);
              form.setValues({ ...{ design, html: '', text: '', mjml: null }, subject: subject.trim() === '' ? starter.subject : subject });
              onClose();
            }}
          />
        )}
        {error && <ErrorAlert error={error} title="Couldn't load the templates" />}
        {templates.isPending && <Skeleton height={80} role="status" aria-label="Loading the templates" />}
        {templates.rows.length > 0 && (
          <>
            <Text size="sm" fw={500}>
              Your templates
            </Text>
            <div className={classes.list}>
              {templates.rows.map(({ id, name, description }) => (
                <UnstyledButton
                  key={id}
                  className={classes.starter}
                  disabled={read.isPending}
                  onClick={() =>
                    read.mutate(id, {
                      onSuccess: (template) => {
                        const { subject: own, ...content } = contentDraftOf(template);
                        form.setValues({ ...content, subject: own || subject });
                        onClose();
                      },
                    })
                  }
                >
                  <Text size="sm" fw={500}>
                    {name}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {description}
                  </Text>
                </UnstyledButton>
              ))}
            </div>
          </>
        )}
      </Stack>
    </Modal>
  );
}
