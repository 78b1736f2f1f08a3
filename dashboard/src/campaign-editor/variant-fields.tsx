import { Button, Fieldset, Group, Select, Stack, TextInput } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { useWholeList } from '../lists/use-whole-list.ts';
import { useReadTemplate, useTemplates } from '../templates/templates.ts';
import { type AbTestDraft, withoutVariant } from './ab-test-draft.ts';
import type { CampaignFormState } from './campaign-draft.ts';

type Props = { form: CampaignFormState; test: AbTestDraft; index: number };

/** One version of the email in an A/B test. */
export function VariantFields({ form, test, index }: Props) {
  const variant = test.variants[index];
  if (!variant) return null;
  const path = `ab_test.variants.${index}`;
  const { subject, preview_text, from } = form.values;
  return (
    <Fieldset legend={`Variant ${variant.id.toUpperCase()}`}>
      <Stack gap="sm">
        <FormGrid>
          <TextInput label="Subject" placeholder={subject} autoComplete="off" {...form.getInputProps(`${path}.subject`)} />
          <TextInput label="Preview text" placeholder={preview_text} autoComplete="off" {...form.getInputProps(`${path}.preview_text`)} />
          <TextInput label="Sender name" placeholder={from.name} autoComplete="off" {...form.getInputProps(`${path}.sender.name`)} />
          <TextInput
            label="Sender address"
            type="email"
            placeholder={from.email}
            autoComplete="off"
            {...form.getInputProps(`${path}.sender.email`)}
          />
          <VariantEmail form={form} test={test} index={index} />
          <TextInput label="Share of the test (%)" inputMode="numeric" {...form.getInputProps(`${path}.weight`)} />
          <TextInput
            label="Delay (hours)"
            description="Tests another time of day"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder="0"
            inputMode="decimal"
            {...form.getInputProps(`${path}.delay`)}
          />
        </FormGrid>
        {test.variants.length > 2 && (
          <Group justify="flex-end">
            <Button
              variant="subtle"
              color="red"
              size="xs"
              aria-label={`Remove variant ${variant.id.toUpperCase()}`}
              onClick={() => form.setFieldValue('ab_test', withoutVariant(test, variant.id))}
            >
              Remove
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

const same = 'campaign';
const own = 'own';

/** The campaign's email, or a copy of a template. */
function VariantEmail({ form, test, index }: Props) {
  const templates = useWholeList(useTemplates('name'));
  const read = useReadTemplate();
  const error = templates.error ?? read.error;
  const isOwn = test.variants[index]?.html != null;
  const put = (html: string | null, text: string | null) => {
    form.setFieldValue(`ab_test.variants.${index}.html`, html);
    form.setFieldValue(`ab_test.variants.${index}.text`, text);
  };
  const choose = (value: string | null) => {
    if (value === same) put(null, null);
    else if (value !== null && value !== own) read.mutate(value, { onSuccess: ({ html, text }) => put(html, text) });
  };
  // The email keeps the name of the template that it was copied from until the page is left.
  const copied = read.data?.id;
  const value = isOwn ? (copied ?? own) : same;
  return (
    <Stack gap="xs">
      <Select
        label="Email"
        data={[
          { value: same, label: "The campaign's" },
          ...(isOwn && !copied ? [{ value: own, label: 'Its own' }] : []),
          { group: 'Copy of a template', items: templates.rows.map(({ id, name }) => ({ value: id, label: name })) },
        ]}
        allowDeselect={false}
        disabled={read.isPending}
        value={value}
        onChange={choose}
      />
      {error && <ErrorAlert error={error} title="Couldn't load the templates" />}
    </Stack>
  );
}
