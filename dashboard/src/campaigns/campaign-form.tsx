import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import classes from '../form/editor.module.css';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { Columns, Panel } from '../shell/panel.tsx';
import { AudiencePanel } from './audience-panel.tsx';
import { type CampaignDraft, draftOf, validateCampaign } from './campaign-draft.ts';
import { CampaignPreview } from './campaign-preview.tsx';
import type { Campaign } from './campaigns.ts';
import { MailFrame } from './mail-frame.tsx';
import { MessagePanel } from './message-panel.tsx';
import { SenderPanel } from './sender-panel.tsx';
import { SendingPanel } from './sending-panel.tsx';

type Props = {
  campaign?: Campaign;
  /** The audience of a new campaign. */
  segment?: string | undefined;
  submit: string;
  saving: { isPending: boolean; error: Error | null };
  cancel: (isDirty: boolean) => ReactNode;
  /** Calls `onSaved` when the draft is saved. */
  onSubmit: (draft: CampaignDraft, onSaved: () => void) => void;
};

export function CampaignForm({ campaign, segment, submit, saving, cancel, onSubmit }: Props) {
  const form = useForm({ initialValues: draftOf(campaign, segment), validate: validateCampaign });
  const isDirty = form.isDirty();
  return (
    <Form form={form} saving={saving} onSubmit={(draft) => onSubmit(draft, () => form.resetDirty(draft))}>
      <Columns>
        <Stack gap="lg">
          <SenderPanel form={form} />
          <AudiencePanel form={form} />
          <MessagePanel form={form} />
          <SendingPanel form={form} />
        </Stack>
        <Stack gap="lg" className={classes.beside}>
          <Panel title="Preview">
            {campaign && !isDirty && !saving.error ? (
              <CampaignPreview campaign={campaign} />
            ) : (
              <Stack gap="xs">
                <MailFrame html={form.values.html} title="Unsaved email preview" />
                <p className={classes.note}>Save the campaign to preview it with contact data.</p>
              </Stack>
            )}
          </Panel>
          <FormActions submit={submit} failed="Couldn't save the campaign" cancel={cancel(isDirty)} />
        </Stack>
      </Columns>
    </Form>
  );
}
