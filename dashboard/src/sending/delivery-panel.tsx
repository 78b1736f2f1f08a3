import { NumberInput, Stack, Switch } from '@mantine/core';
import { Panel } from '../page/panel.tsx';
import type { SendingFields } from './sending-settings.ts';
import { maxDeliveredHours } from './validate-sending.ts';

export function DeliveryPanel({ form }: SendingFields) {
  return (
    <Panel title="Delivery">
      <Stack gap="md">
        <Switch
          label="Count an email as delivered when no bounce arrives"
          description="Mail servers rarely confirm a delivery. Without this, only opens, clicks and reports of your provider count."
          checked={form.values.delivered_after_hours !== null}
          onChange={({ currentTarget: { checked } }) => form.setFieldValue('delivered_after_hours', checked ? 24 : null)}
        />
        {form.values.delivered_after_hours !== null && (
          <NumberInput
            label="After this many hours"
            maw={240}
            min={1}
            max={maxDeliveredHours}
            allowDecimal={false}
            clampBehavior="none"
            {...form.getInputProps('delivered_after_hours')}
          />
        )}
      </Stack>
    </Panel>
  );
}
