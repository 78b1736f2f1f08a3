import { MultiSelect, NativeSelect, NumberInput, Text } from '@mantine/core';
import { FormGrid } from '../form/form-grid.tsx';
import { useAllSegments } from '../names/all-names.ts';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import type { SendingFields } from './sending-settings.ts';
import { maxUnapproved } from './validate-sending.ts';

const modes = [
  { value: 'off', label: 'No campaign' },
  { value: 'always', label: 'Every campaign' },
  { value: 'above', label: 'Large campaigns' },
  { value: 'outside_segments', label: 'All but given segments' },
] as const;

/** Which campaigns a second person must approve. */
export function CampaignApprovalPanel({ form }: SendingFields) {
  const { seesSettings } = usePermission();
  const { rows: segments } = useAllSegments();
  const { approval, approval_segments: chosen } = form.values;
  const known = segments.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Panel title="Approval of campaigns">
      <Text size="sm" c="dimmed" mb="md">
        Before a campaign is sent or scheduled, another user must approve it. Only owners and admins can change this.
      </Text>
      <FormGrid>
        <NativeSelect
          label="Needs approval"
          disabled={!seesSettings}
          data={modes.map((mode) => ({ ...mode }))}
          value={approval}
          onChange={({ currentTarget: { value } }) => {
            const mode = modes.find((one) => one.value === value)?.value ?? 'off';
            form.setFieldValue('approval', mode);
            form.setFieldValue('approval_above', mode === 'above' ? (form.values.approval_above ?? 1_000) : form.values.approval_above);
          }}
        />
        {approval === 'above' && (
          <NumberInput
            label="More recipients than"
            disabled={!seesSettings}
            min={1}
            max={maxUnapproved}
            allowDecimal={false}
            clampBehavior="none"
            thousandSeparator=","
            {...form.getInputProps('approval_above')}
          />
        )}
        {approval === 'outside_segments' && (
          <MultiSelect
            label="Segments without approval"
            disabled={!seesSettings}
            data={[...known, ...chosen.filter((id) => !known.some(({ value }) => value === id))]}
            searchable
            placeholder={chosen.length === 0 ? 'Choose segments' : ''}
            {...form.getInputProps('approval_segments')}
          />
        )}
      </FormGrid>
    </Panel>
  );
}
