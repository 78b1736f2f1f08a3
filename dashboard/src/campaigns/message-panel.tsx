import { Stack, Textarea, TextInput } from '@mantine/core';
import classes from '../form/editor.module.css';
import { Panel } from '../shell/panel.tsx';
import type { CampaignFormState } from './campaign-draft.ts';

/** The subject and content of the email. */
export const MessagePanel = ({ form }: { form: CampaignFormState }) => (
  <Panel title="Message">
    <Stack gap="sm">
      <TextInput label="Subject" autoComplete="off" {...form.getInputProps('subject')} />
      <TextInput
        label="Preview text"
        description="Shown after the subject in the inbox."
        autoComplete="off"
        {...form.getInputProps('preview_text')}
      />
      <Textarea
        label="HTML"
        description="Personalize with Liquid: {{ contact.first_name }}, {{ contact.attributes.plan }}, {{ unsubscribe_url }}"
        rows={14}
        spellCheck={false}
        classNames={{ input: classes.source ?? '' }}
        {...form.getInputProps('html')}
      />
      <Textarea
        label="Plain text"
        description="Leave empty to generate it from the HTML."
        autosize
        minRows={2}
        classNames={{ input: classes.source ?? '' }}
        {...form.getInputProps('text')}
      />
    </Stack>
  </Panel>
);
