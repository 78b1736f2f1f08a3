import { Stack, Switch, TagsInput } from '@mantine/core';
import { SegmentPicker } from '../names/pickers.tsx';
import { Panel } from '../page/panel.tsx';
import { useSeenValues } from '../rules/seen-values.ts';
import type { BuilderProps } from './builder.ts';

/** What a submission does with the contact. */
export function ContactPanel({ form }: Pick<BuilderProps, 'form'>) {
  const tags = useSeenValues('tags');
  return (
    <Panel title="Contacts">
      <Stack gap="md">
        <TagsInput
          label="Tags"
          description="Added once consent is confirmed. Press Enter after each tag."
          data={[...tags]}
          acceptValueOnBlur
          {...form.getInputProps('tags')}
        />
        <SegmentPicker
          label="Static segment"
          description="Contacts are added to it at the same time as the tags."
          placeholder="None"
          isStatic
          value={form.values.segment_id}
          onChange={(id) => form.setFieldValue('segment_id', id)}
          error={form.errors.segment_id}
        />
        <Switch
          label="Replace what is known"
          description="Otherwise only empty fields of a contact are filled in, because anybody can submit an address."
          {...form.getInputProps('overwrite', { type: 'checkbox' })}
        />
      </Stack>
    </Panel>
  );
}
