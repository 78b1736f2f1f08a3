import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormGrid } from '../form/form-grid.tsx';
import { Panel } from '../page/panel.tsx';
import { type CampaignFormState, newUtm, type UtmDraft } from './campaign-draft.ts';

/** The parameters by which web analytics recognizes visits from the links of the email. */
export function UtmFields({ form }: { form: CampaignFormState }) {
  const { utm, name } = form.values;
  /** What was switched off, in case that was a slip. */
  const [before, setBefore] = useState<UtmDraft | null>(null);
  const toggle = (isOn: boolean) => {
    setBefore(utm);
    form.setFieldValue('utm', isOn ? (before ?? newUtm) : null);
  };
  return (
    <Panel title="Links">
      <Stack gap="md">
        <Checkbox
          label="Add UTM parameters"
          description="Web analytics then shows which visits come from this email. Links that have a parameter keep theirs."
          checked={utm !== null}
          onChange={({ currentTarget }) => toggle(currentTarget.checked)}
        />
        {utm && (
          <FormGrid>
            <TextInput label="Source" autoComplete="off" {...form.getInputProps('utm.source')} />
            <TextInput label="Medium" placeholder="email" autoComplete="off" {...form.getInputProps('utm.medium')} />
            <TextInput label="Campaign" placeholder={name} autoComplete="off" {...form.getInputProps('utm.campaign')} />
            <TextInput label="Content (optional)" autoComplete="off" {...form.getInputProps('utm.content')} />
            <TextInput label="Term (optional)" autoComplete="off" {...form.getInputProps('utm.term')} />
          </FormGrid>
        )}
      </Stack>
    </Panel>
  );
}
