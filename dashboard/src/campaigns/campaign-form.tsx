import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { ContentPanel } from '../email-editor/content-panel.tsx';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { Columns } from '../shell/panel.tsx';
import { SaveAsTemplate } from '../templates/save-as-template.tsx';
import { TemplatePicker } from '../templates/template-picker.tsx';
import { AudiencePanel } from './audience-panel.tsx';
import { type CampaignDraft, validateCampaign } from './campaign-draft.ts';
import type { Campaign } from './campaigns.ts';
import { SenderPanel } from './sender-panel.tsx';
import { SendingPanel } from './sending-panel.tsx';
import { TemplateContent } from './template-content.tsx';

type Props = {
  campaign?: Campaign;
  initial: CampaignDraft;
  submit: string;
  saving: { isPending: boolean; error: Error | null };
  cancel: (isDirty: boolean) => ReactNode;
  /** Calls `onSaved` when the draft is saved. */
  onSubmit: (draft: CampaignDraft, onSaved: () => void) => void;
};

export function CampaignForm({ campaign, initial, submit, saving, cancel, onSubmit }: Props) {
  const form = useForm({ initialValues: initial, validate: validateCampaign });
  const [isPicking, setPicking] = useState(false);
  const isDirty = form.isDirty();
  const { from, reply_to, template_id } = form.values;
  const sender = {
    email: from.email,
    name: from.name.trim() === '' ? null : from.name,
    reply_to: reply_to.trim() === '' ? null : reply_to,
  };
  return (
    <Form form={form} saving={saving} onSubmit={(draft) => onSubmit(draft, () => form.resetDirty(draft))}>
      <Stack gap="lg">
        <Columns>
          <SenderPanel form={form} />
          <Stack gap="lg">
            <AudiencePanel form={form} />
            <SendingPanel form={form} />
          </Stack>
        </Columns>
        {template_id !== null && campaign ? (
          <TemplateContent form={form} campaign={campaign} templateId={template_id} />
        ) : (
          <ContentPanel
            form={form}
            sender={sender}
            savedId={isDirty ? undefined : campaign?.id}
            action={
              <Group gap="xs">
                <Button variant="default" size="xs" onClick={() => setPicking(true)}>
                  Templates…
                </Button>
                <SaveAsTemplate content={form.values} />
              </Group>
            }
          />
        )}
        {isPicking && <TemplatePicker form={form} onClose={() => setPicking(false)} />}
        <FormActions submit={submit} failed="Couldn't save the campaign" cancel={cancel(isDirty)} />
      </Stack>
    </Form>
  );
}
