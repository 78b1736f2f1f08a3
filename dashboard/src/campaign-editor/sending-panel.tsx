import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { optionIn, optionsOf } from '../form/options.ts';
import { ZonePicker } from '../form/zone-picker.tsx';
import { Panel } from '../page/panel.tsx';
import { useSendingSettings } from '../sending/sending-settings.ts';
import { accountZone } from '../time/zone.ts';
import type { CampaignFormState } from './campaign-draft.ts';
import { QuietHoursNote } from './quiet-hours-note.tsx';

const timezoneModes = {
  fixed: 'To all contacts at the same moment',
  recipient: 'To each contact at the local time of the contact',
} as const;

/** When the campaign is sent, how fast, and what is tracked. */
export function SendingPanel({ form }: { form: CampaignFormState }) {
  const { timezone_mode, fallback_timezone } = form.values;
  return (
    <Panel title="Sending">
      <Stack gap="sm">
        <NativeSelect
          label="When it is scheduled, send it"
          data={optionsOf(timezoneModes)}
          w={420}
          maw="100%"
          {...form.getInputProps('timezone_mode')}
          onChange={({ currentTarget: { value } }) => {
            const mode = optionIn(timezoneModes, value) ?? 'fixed';
            form.setValues({ timezone_mode: mode, fallback_timezone: mode === 'fixed' ? '' : fallback_timezone || accountZone() });
          }}
        />
        {timezone_mode === 'recipient' && (
          <ZonePicker label="Time zone of contacts without one" {...form.getInputProps('fallback_timezone')} value={fallback_timezone} />
        )}
        <QuietHoursNote />
        <Topic form={form} />
        <TextInput
          label="Throttle (emails per minute)"
          inputMode="numeric"
          placeholder="No limit"
          w={220}
          {...form.getInputProps('throttle_per_minute')}
        />
        <Checkbox label="Track opens" {...form.getInputProps('track.opens', { type: 'checkbox' })} />
        <Checkbox label="Track clicks" {...form.getInputProps('track.clicks', { type: 'checkbox' })} />
      </Stack>
    </Panel>
  );
}

/** The topic that the unsubscribe link leaves; nothing for accounts without topics. */
function Topic({ form }: { form: CampaignFormState }) {
  const { data: settings } = useSendingSettings();
  const { topic } = form.values;
  const topics = settings?.topics ?? [];
  if (topics.length === 0 && topic === '') return null;
  const isKnown = topic === '' || topics.some(({ id }) => id === topic);
  return (
    <NativeSelect
      label="Topic"
      description="Contacts who have unsubscribed from the topic don't get the email, and its unsubscribe link leaves this topic only."
      w={420}
      maw="100%"
      data={[
        { value: '', label: 'None' },
        ...topics.map(({ id, name }) => ({ value: id, label: name })),
        ...(isKnown ? [] : [{ value: topic, label: topic }]),
      ]}
      {...form.getInputProps('topic')}
    />
  );
}
