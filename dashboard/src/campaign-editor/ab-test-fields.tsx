import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormGrid } from '../form/form-grid.tsx';
import { optionsOf } from '../form/options.ts';
import { Panel } from '../page/panel.tsx';
import { type AbTestDraft, maxVariants, newAbTest, withVariant } from './ab-test-draft.ts';
import type { CampaignFormState } from './campaign-draft.ts';
import { VariantFields } from './variant-fields.tsx';

export const metricNames = { opens: 'Opens', clicks: 'Clicks', conversions: 'Conversions', revenue: 'Revenue' };
const selectionNames = { automatic: 'Automatically', manual: 'By hand, in the report' };

/** The versions of an email that are tested against each other, and how the winner is selected. */
export function AbTestFields({ form }: { form: CampaignFormState }) {
  const { ab_test: test } = form.values;
  /** The test that was switched off, in case that was a slip. */
  const [before, setBefore] = useState<AbTestDraft | null>(null);
  const toggle = (isOn: boolean) => {
    setBefore(test);
    form.setFieldValue('ab_test', isOn ? (before ?? newAbTest()) : null);
  };
  return (
    <Panel title="A/B test">
      <Stack gap="md">
        <Checkbox
          label="Test versions of this email against each other"
          checked={test !== null}
          onChange={({ currentTarget }) => toggle(currentTarget.checked)}
        />
        {test && (
          <>
            <Text size="sm" c="dimmed">
              Part of the audience gets one of the variants, and the rest gets the winner. Empty fields use the campaign's values.
            </Text>
            {test.variants.map(({ id }, index) => (
              <VariantFields key={id} form={form} test={test} index={index} />
            ))}
            {form.errors['ab_test.variants'] && (
              <Text size="sm" c="red" role="alert">
                {form.errors['ab_test.variants']}
              </Text>
            )}
            <Group>
              <Button
                variant="default"
                size="xs"
                disabled={test.variants.length >= maxVariants}
                onClick={() => form.setFieldValue('ab_test', withVariant(test))}
              >
                Add a variant
              </Button>
            </Group>
            <FormGrid>
              <TextInput label="Test on (% of the audience)" inputMode="numeric" {...form.getInputProps('ab_test.sample_percent')} />
              <Select label="Winner by" data={optionsOf(metricNames)} allowDeselect={false} {...form.getInputProps('ab_test.metric')} />
              {test.metric === 'revenue' && (
                <TextInput label="Currency" placeholder="EUR" maxLength={3} {...form.getInputProps('ab_test.currency')} />
              )}
              <Select
                label="Select the winner"
                data={optionsOf(selectionNames)}
                allowDeselect={false}
                {...form.getInputProps('ab_test.selection')}
              />
              {test.selection === 'automatic' && (
                <TextInput
                  label="Hours to wait after the last test email"
                  inputMode="decimal"
                  {...form.getInputProps('ab_test.duration')}
                />
              )}
            </FormGrid>
          </>
        )}
      </Stack>
    </Panel>
  );
}
