import { NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { fieldError, nestedFieldError } from '../api/request-failed.ts';
import { FormGrid } from '../form/form-grid.tsx';
import { EventPicker } from './event-picker.tsx';
import { problemsOf, type WebhookDraft } from './webhook-draft.ts';

const usualBatch = { max: 100, wait_ms: 1_000 };

/** The fields whose errors `WebhookFields` shows. */
export const shownFields = ['/url', '/description', '/events', '/filter', '/headers', '/batch'];

type Props = {
  draft: WebhookDraft;
  onChange: (draft: WebhookDraft) => void;
  error: Error | null;
  /** The names of its headers, of a webhook that exists. */
  headerNames?: readonly string[];
};

/** The settings of a webhook. */
export function WebhookFields({ draft, onChange, error, headerNames = [] }: Props) {
  const { url, description, events, filter, headers, batch } = draft;
  const set = (change: Partial<WebhookDraft>) => onChange({ ...draft, ...change });
  const problems = problemsOf(draft);
  const isKept = headers === undefined;
  return (
    <Stack gap="lg">
      <TextInput
        data-autofocus
        type="url"
        label="URL"
        description="Where events are sent: a public https:// address."
        placeholder="https://example.com/webhooks"
        autoComplete="off"
        value={url}
        onChange={(event) => set({ url: event.currentTarget.value })}
        error={fieldError(error, '/url')}
      />
      <TextInput
        label="Description"
        description="Optional: the app that receives the events."
        autoComplete="off"
        value={description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={fieldError(error, '/description')}
      />
      <EventPicker events={events} onChange={(chosen) => set({ events: chosen })} error={nestedFieldError(error, '/events')} />
      <Textarea
        label="Filter"
        description="Optional JSON: only events whose payload passes are sent."
        placeholder='{ "field": "data.attributes.plan", "op": "eq", "value": "pro" }'
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        value={filter}
        onChange={(event) => set({ filter: event.currentTarget.value })}
        error={problems.filter ?? nestedFieldError(error, '/filter')}
      />
      {headerNames.length > 0 && (
        <Switch
          label="Replace the headers"
          description={`Their values are not shown. Now: ${headerNames.join(', ')}.`}
          checked={!isKept}
          onChange={(event) => set({ headers: event.currentTarget.checked ? '' : undefined })}
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
          value={headers ?? ''}
          onChange={(event) => set({ headers: event.currentTarget.value })}
          error={problems.headers ?? nestedFieldError(error, '/headers')}
        />
      )}
      <Switch
        label="Several events in one request"
        description="For many events, such as those of imports. Each is sent once."
        checked={batch !== undefined}
        onChange={(event) => set({ batch: event.currentTarget.checked ? usualBatch : undefined })}
      />
      {batch && (
        <FormGrid>
          <NumberInput
            label="Events per request (limit)"
            min={1}
            max={100}
            value={batch.max}
            onChange={(max) => set({ batch: { ...batch, max: Number(max) } })}
            error={fieldError(error, '/batch/max')}
          />
          <NumberInput
            label="Wait for more events (ms)"
            min={0}
            max={60_000}
            value={batch.wait_ms}
            onChange={(wait) => set({ batch: { ...batch, wait_ms: Number(wait) } })}
            error={fieldError(error, '/batch/wait_ms')}
          />
        </FormGrid>
      )}
    </Stack>
  );
}
