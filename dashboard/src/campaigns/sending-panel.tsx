import { Checkbox, Stack, TextInput } from '@mantine/core';
import { Panel } from '../shell/panel.tsx';
import type { CampaignFormState } from './campaign-draft.ts';

/** The sending rate and tracking. */
export const SendingPanel = ({ form }: { form: CampaignFormState }) => (
  <Panel title="Sending">
    <Stack gap="sm">
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
