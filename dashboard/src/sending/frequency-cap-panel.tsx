import { NumberInput, Stack, Switch } from '@mantine/core';
import { FormGrid } from '../form/form-grid.tsx';
import { Panel } from '../page/panel.tsx';
import type { SendingFields } from './sending-settings.ts';
import { maxDays, maxEmails } from './validate-sending.ts';

export function FrequencyCapPanel({ form }: SendingFields) {
  return (
    <Panel title="Frequency cap">
      <Stack gap="md">
        <Switch
          label="Limit the marketing emails per contact"
          description="A campaign skips a contact that has reached the limit. An email step of a workflow skips it or waits."
          checked={form.values.frequency_cap !== null}
          onChange={({ currentTarget: { checked } }) => form.setFieldValue('frequency_cap', checked ? { max_emails: 3, days: 7 } : null)}
        />
        {form.values.frequency_cap && (
          <FormGrid>
            <NumberInput
              label="Emails per contact, at most"
              min={1}
              max={maxEmails}
              allowDecimal={false}
              clampBehavior="none"
              {...form.getInputProps('frequency_cap.max_emails')}
            />
            <NumberInput
              label="In this many days"
              min={1}
              max={maxDays}
              allowDecimal={false}
              clampBehavior="none"
              {...form.getInputProps('frequency_cap.days')}
            />
          </FormGrid>
        )}
      </Stack>
    </Panel>
  );
}
