import { TextInput } from '@mantine/core';
import { Panel } from '../page/panel.tsx';
import type { CampaignFormState } from './campaign-draft.ts';

/** The part of the audience that gets no email, so that the report can show what the campaign changed. */
export const HoldoutFields = ({ form }: { form: CampaignFormState }) => (
  <Panel title="Hold-out group">
    <TextInput
      label="Hold out (% of the audience)"
      description="These contacts don't get the email. The report compares their conversions with those of the contacts that do."
      inputMode="numeric"
      placeholder="None"
      w={320}
      maw="100%"
      {...form.getInputProps('holdout_percent')}
    />
  </Panel>
);
