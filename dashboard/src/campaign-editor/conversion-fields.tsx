import { TextInput } from '@mantine/core';
import { FormGrid } from '../form/form-grid.tsx';
import { EventField } from '../names/event-field.tsx';
import { Panel } from '../page/panel.tsx';
import type { CampaignFormState } from './campaign-draft.ts';

/** The event that the report counts as a conversion, and by which an A/B test can select the winner. */
export const ConversionFields = ({ form }: { form: CampaignFormState }) => (
  <Panel title="Conversions">
    <FormGrid>
      <EventField
        label="Conversion event"
        description="The report counts it, and it can select the winner of an A/B test."
        placeholder="Any event with a value"
        {...form.getInputProps('conversion.event')}
        value={form.values.conversion.event}
      />
      <TextInput
        label="Days after the last click"
        description="Later events are not attributed to the email."
        inputMode="numeric"
        {...form.getInputProps('conversion.window_days')}
      />
    </FormGrid>
  </Panel>
);
