import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { isEqual } from '../json/is-equal.ts';
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
  // Only what was changed here, so that it does not undo the changes of another user. Not by `isDirty`: a setting that was turned off
  // and on again stays clean for it, whatever is typed in its fields then.
  const changed = (values: SendingSettings): Partial<SendingSettings> => {
    const initial = form.getInitialValues();
    return {
      ...(!isEqual(values.quiet_hours, initial.quiet_hours) && { quiet_hours: values.quiet_hours }),
      ...(!isEqual(values.frequency_cap, initial.frequency_cap) && { frequency_cap: values.frequency_cap }),
      ...(!isEqual(values.topics, initial.topics) && { topics: values.topics }),
      ...(!isEqual(values.domain_throttles, initial.domain_throttles) && { domain_throttles: values.domain_throttles }),
      ...(values.delivered_after_hours !== initial.delivered_after_hours && { delivered_after_hours: values.delivered_after_hours }),
    };
  };
  const save = (values: SendingSettings) =>
    change.mutate(changed(values), {
      onSuccess: (saved) => {
        form.setInitialValues(saved);
        form.reset();
        notifications.show({ message: 'Saved.' });
      },
    });
  return (
    <Form form={form} saving={change} onSubmit={save}>
      <Stack gap="lg">
        <QuietHoursPanel form={form} />
        <FrequencyCapPanel form={form} />
        <TopicsPanel form={form} stored={settings.topics} />
        <ThrottlesPanel form={form} />
        <DeliveryPanel form={form} />
        <FormActions submit="Save" failed="Couldn't save the settings" />
      </Stack>
    </Form>
  );
}
