import { Stack, TextInput } from '@mantine/core';
import { SenderField } from '../campaigns/sender-field.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { Panel } from '../page/panel.tsx';
import type { CampaignFormState } from './campaign-draft.ts';

/** The campaign's name and its sender. */
export const SenderPanel = ({ form }: { form: CampaignFormState }) => (
  <Panel title="Campaign">
    <Stack gap="sm">
      <TextInput label="Name" autoComplete="off" {...form.getInputProps('name')} />
      <FormGrid>
        <TextInput label="From name" autoComplete="off" {...form.getInputProps('from.name')} />
        <SenderField label="From email" {...form.getInputProps('from.email')} />
        <TextInput type="email" label="Reply-to" placeholder="Same as From email" autoComplete="off" {...form.getInputProps('reply_to')} />
      </FormGrid>
    </Stack>
  </Panel>
);
