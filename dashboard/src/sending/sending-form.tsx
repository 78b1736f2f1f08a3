import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { showSaved } from '../form/show-saved.ts';
import { CampaignApprovalPanel } from './campaign-approval-panel.tsx';
import { DefaultSenderPanel } from './default-sender-panel.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { FrequencyCapPanel } from './frequency-cap-panel.tsx';
import { QuietHoursPanel } from './quiet-hours-panel.tsx';
import { type SendingSettings, useChangeSendingSettings } from './sending-settings.ts';
import { ThrottlesPanel } from './throttles-panel.tsx';
import { TopicsPanel } from './topics-panel.tsx';
import { validateSending } from './validate-sending.ts';

export function SendingForm({ settings }: { settings: SendingSettings }) {
  const form = useForm<SendingSettings>({ initialValues: settings, validate: validateSending });
  const change = useChangeSendingSettings();
  const save = (values: SendingSettings) =>
    change.mutate(
      { before: form.getInitialValues(), values },
      {
        onSuccess: (saved) => showSaved(form, saved),
      },
    );
  return (
    <Form form={form} saving={change} onSubmit={save}>
      <Stack gap="lg">
        <DefaultSenderPanel form={form} />
        <QuietHoursPanel form={form} />
        <FrequencyCapPanel form={form} />
        <TopicsPanel form={form} stored={settings.topics} />
        <ThrottlesPanel form={form} />
        <DeliveryPanel form={form} />
        <CampaignApprovalPanel form={form} />
        <FormActions submit="Save" failed="Couldn't save the settings" />
      </Stack>
    </Form>
  );
}
