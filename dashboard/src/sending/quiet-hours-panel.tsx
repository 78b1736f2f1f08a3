import { Stack, Switch, TextInput } from '@mantine/core';
import { FormGrid } from '../form/form-grid.tsx';
import { ZonePicker } from '../form/zone-picker.tsx';
import { Panel } from '../page/panel.tsx';
import { accountZone } from '../time/zone.ts';
import type { SendingFields } from './sending-settings.ts';

export function QuietHoursPanel({ form }: SendingFields) {
  const { quiet_hours } = form.values;
  return (
    <Panel title="Quiet hours">
      <Stack gap="md">
        <Switch
          label="Send no marketing emails during quiet hours"
          description="In the time zone of each contact. Emails that are due then are sent when the quiet hours end."
          checked={quiet_hours !== null}
          onChange={({ currentTarget: { checked } }) =>
            form.setFieldValue('quiet_hours', checked ? { from: '21:00', to: '08:00', timezone: accountZone() } : null)
          }
        />
        {quiet_hours && (
          <FormGrid>
            <TextInput type="time" label="From" {...form.getInputProps('quiet_hours.from')} />
            <TextInput type="time" label="To" {...form.getInputProps('quiet_hours.to')} />
            <ZonePicker
              label="Time zone of contacts without one"
              {...form.getInputProps('quiet_hours.timezone')}
              value={quiet_hours.timezone}
            />
          </FormGrid>
        )}
      </Stack>
    </Panel>
  );
}
