import { required } from '../form/required.ts';
import { type FilterDraft, filterDraftOf, filterError, filterOf, noFilter } from './filter-draft.ts';
import { filterLabel } from './filter-label.ts';
import type { NewWebhook, Webhook } from './webhooks.ts';

/** What the form edits. */
export type WebhookDraft = {
  url: string;
  description: string;
  events: string[];
  filter: FilterDraft;
  /** `Name: value` lines; undefined keeps the headers as they are. */
  headers: string | undefined;
  /** Undefined: a request for each event. */
  batch: { max: number; wait_ms: number } | undefined;
};

export const emptyDraft: WebhookDraft = { url: '', description: '', events: [], filter: noFilter, headers: '', batch: undefined };

export const draftOf = ({ url, description, events, filter, batch }: Webhook): WebhookDraft => ({
  url,
  description: description ?? '',
  events,
  filter: filterDraftOf(filter),
  headers: undefined,
  batch: batch ?? undefined,
});

/** A webhook as two versions of it are compared. The values of headers that are kept are secret. */
export const comparableWebhook = ({ headers = 'Not replaced', batch, filter, ...fields }: WebhookDraft): object => ({
  ...fields,
  filter: filterText(filter),
  headers,
  'Events per request': batch?.max,
  'Wait for more events (ms)': batch?.wait_ms,
});

function filterText(draft: FilterDraft) {
  if (typeof draft === 'string') return draft;
  const filter = filterOf(draft);
  return filter && filterLabel(filter);
}

/** The errors of the fields; the API checks the rest. */
export const validateDraft = {
  url: required('Enter the URL that receives the events.'),
  events: (events: readonly string[]) => (events.length === 0 ? 'Choose at least one event.' : null),
  filter: filterError,
  headers: (headers: string | undefined) =>
    linesOf(headers ?? '').every((line) => line.includes(':')) ? null : 'Write each header as Name: value.',
};

/** The body of the request. The draft is valid. */
export const bodyOfDraft = ({ url, description, events, filter, headers, batch }: WebhookDraft): NewWebhook => ({
  url: url.trim(),
  events,
  description: description.trim() === '' ? null : description,
  filter: filterOf(filter),
  batch: batch ? { max: Number(batch.max), wait_ms: Number(batch.wait_ms) } : null,
  ...(headers !== undefined && { headers: headersIn(headers) }),
});

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

const headersIn = (text: string) =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
