import { Button, Group, Stack } from '@mantine/core';
import type { ComponentProps } from 'react';
import { TemplatePicker } from '../../../names/pickers.tsx';
import { usePermission } from '../../../session/permission.ts';
import { useEmailDialog } from '../../email-dialog-context.ts';

type Props = Omit<ComponentProps<typeof TemplatePicker>, 'label'> & {
  stepId: string;
  /** The number of the variant whose email it is. */
  variant?: number;
};

/** The template of an email: an existing one, or one that is written here. */
export function TemplateField({ stepId, variant, ...picker }: Props) {
  const { value, onChange } = picker;
  const { open } = useEmailDialog();
  const { mayWrite } = usePermission('campaigns');
  const write = (templateId: string | undefined) =>
    open({
      ...{ stepId, templateId },
      onSaved: (id) => {
        if (id !== value) onChange(id);
      },
    });
  const suffix = variant === undefined ? '' : ` for variant ${variant}`;
  return (
    <Stack gap="xs">
      <TemplatePicker {...picker} label="Template" />
      {mayWrite && (
        <Group gap="xs">
          <Button size="xs" variant="default" aria-label={`New email${suffix}`} onClick={() => write(undefined)}>
            New email
          </Button>
          <Button size="xs" variant="default" aria-label={`Edit email${suffix}`} disabled={value === ''} onClick={() => write(value)}>
            Edit
          </Button>
        </Group>
      )}
    </Stack>
  );
}
