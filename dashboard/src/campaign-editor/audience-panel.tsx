import { MultiSelect, Stack } from '@mantine/core';
import { useAllSegments } from '../names/all-names.ts';
import { Panel } from '../page/panel.tsx';
import type { CampaignFormState } from './campaign-draft.ts';
import { allContacts } from './draft-names.ts';

/** The segments that receive the campaign, and those that don't. */
export function AudiencePanel({ form }: { form: CampaignFormState }) {
  const { rows: segments } = useAllSegments();
  const known = segments.map(({ id, name }) => ({ value: id, label: name }));
  /** A chosen segment stays an option, even if it has been deleted. */
  const withChosen = (ids: readonly string[]) => [
    ...known,
    ...ids.filter((id) => id !== 'all' && !known.some(({ value }) => value === id)),
  ];
  const { include, exclude } = form.values.audience;
  return (
    <Panel title="Audience">
      <Stack gap="sm">
        <MultiSelect
          label="Include"
          data={[{ value: 'all', label: allContacts }, ...withChosen(include)]}
          searchable
          placeholder={include.length === 0 ? 'Choose segments, or all contacts' : ''}
          {...form.getInputProps('audience.include')}
        />
        <MultiSelect label="Exclude" data={withChosen(exclude)} searchable {...form.getInputProps('audience.exclude')} />
      </Stack>
    </Panel>
  );
}
