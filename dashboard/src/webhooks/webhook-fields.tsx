import { NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { FormGrid } from '../form/form-grid.tsx';
import { EventPicker } from './event-picker.tsx';
import { FilterField } from './filter-field.tsx';
import type { WebhookDraft } from './webhook-draft.ts';

const usualBatch = { max: 100, wait_ms: 1_000 };

type Props = {
  form: UseFormReturnType<WebhookDraft>;
  /** The names of its headers, of a webhook that exists. */
  headerNames?: readonly string[];
};

/** The settings of a webhook. */
export function WebhookFields({ form, headerNames = [] }: Props) {
  const { headers, batch, events } = form.values;
  const isKept = headers === undefined;
  return (
    <Stack gap="lg" mb="md">
      <TextInput
        data-autofocus
        type="url"
        label="URL"
        description="Where events are sent: a public https:// address."
        placeholder="https://example.com/webhooks"
        autoComplete="off"
        {...form.getInputProps('url')}
      />
      <TextInput
        label="Description"
        description="Optional: the app that receives the events."
        autoComplete="off"
        {...form.getInputProps('description')}
      />
      <EventPicker {...form.getInputProps('events')} />
      <FilterField events={events} {...form.getInputProps('filter')} />
      {headerNames.length > 0 && (
        <Switch
          label="Replace the headers"
          description={`Values are hidden. Current headers: ${headerNames.join(', ')}.`}
          checked={!isKept}
          onChange={(event) => form.setFieldValue('headers', event.currentTarget.checked ? '' : undefined)}
        />
      )}
      {(!isKept || headerNames.length === 0) && (
        <Textarea
          label="Headers"
          description="Optional: sent with every request, one per line. Stored encrypted."
          placeholder="Authorization: Bearer …"
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          {...form.getInputProps('headers')}
          value={headers ?? ''}
        />
      )}
      <Switch
        label="Several events in one request"
        description="For many events, such as from imports. Each event is sent once."
        checked={batch !== undefined}
        onChange={(event) => form.setFieldValue('batch', event.currentTarget.checked ? usualBatch : undefined)}
      />
      {batch && (
        <FormGrid>
          <NumberInput label="Events per request (limit)" min={1} max={100} {...form.getInputProps('batch.max')} />
          <NumberInput label="Wait for more events (ms)" min={0} max={60_000} {...form.getInputProps('batch.wait_ms')} />
        </FormGrid>
      )}
    </Stack>
  );
}
