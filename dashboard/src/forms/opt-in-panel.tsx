import { Stack, Switch, TextInput } from '@mantine/core';
import { SenderField } from '../campaigns/sender-field.tsx';
import formClasses from '../form/editor.module.css';
import { TemplatePicker } from '../names/pickers.tsx';
import { Panel } from '../page/panel.tsx';
import type { BuilderProps } from './builder.ts';

/** Whether consent waits for a confirmation by email, and whom that email is from. */
export function OptInPanel({ form }: Pick<BuilderProps, 'form'>) {
  const { enabled } = form.values.double_opt_in;
  return (
    <Panel title="Confirmation by email">
      <Stack gap="md">
        <Switch
          label="Double opt-in"
          description="Contacts are subscribed once they use the link of an email. Those who unsubscribed earlier must confirm in any case."
          {...form.getInputProps('double_opt_in.enabled', { type: 'checkbox' })}
        />
        <div className={formClasses.pair}>
          <TextInput label="From name" autoComplete="off" {...form.getInputProps('sender.name')} />
          <SenderField label="From email" placeholder="news@example.com" {...form.getInputProps('sender.email')} />
        </div>
        {enabled && (
          <>
            <TemplatePicker
              label="Confirmation email"
              placeholder="The platform's own, in the visitor's language"
              description="A template needs the link {{ data.confirm_url }}."
              value={form.values.double_opt_in.template_id}
              onChange={(id) => form.setFieldValue('double_opt_in.template_id', id)}
              error={form.errors['double_opt_in.template_id']}
            />
            <Switch label="Remind once, after two days" {...form.getInputProps('double_opt_in.reminder', { type: 'checkbox' })} />
          </>
        )}
      </Stack>
    </Panel>
  );
}
