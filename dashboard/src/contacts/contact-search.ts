import type { ListContactsRequest } from '@marketing-platform/sdk';
import { addDays, startOfDay } from '../time/zone.ts';

type Query = NonNullable<ListContactsRequest['query']>;

/** The filters of the list. One at a time, because the API has one index for each; a search can be combined with any. */
export const filters = [
  { field: 'email', name: 'Email' },
  { field: 'phone', name: 'Phone' },
  { field: 'external_id', name: 'External ID' },
  { field: 'tag', name: 'Tag' },
  { field: 'status', name: 'Status' },
  { field: 'attribute', name: 'Attribute' },
] as const;
export type FilterField = (typeof filters)[number]['field'];

export const statuses = ['active', 'unsubscribed', 'bounced', 'complained', 'suppressed'] as const;
const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** The list's filters as URL parameters, so that a filtered list can be bookmarked and shared. */
export type ContactSearch = {
  q?: string;
  field?: FilterField;
  value?: string;
  /** The attribute's key, if `field` is `attribute`. */
  key?: string;
  /** Created between these days (YYYY-MM-DD, UTC), both inclusive. */
  from?: string;
  to?: string;
  sort?: (typeof sorts)[number];
};

/** Parses the URL parameters and drops invalid ones. */
export function contactSearch(raw: Record<string, unknown>): ContactSearch {
  const text = (name: string) => (typeof raw[name] === 'string' && raw[name] !== '' ? raw[name] : undefined);
  const day = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(text(name) ?? '') ? text(name) : undefined);
  const field = filters.find((filter) => filter.field === raw.field)?.field;
  const sort = sorts.find((one) => one === raw.sort);
  const [q, value, key, from, to] = [text('q'), text('value'), text('key'), day('from'), day('to')];
  return {
    ...(q && { q }),
    ...(field && value && { field, value }),
    ...(field === 'attribute' && value && key && { key }),
    ...(from && { from }),
    ...(to && { to }),
    ...(sort && { sort }),
  };
}

/** The parameters of the API request. The results of a search are in the order of the matching word, so it has no sort. */
export function queryOf({ q, field, value, key, from, to, sort }: ContactSearch): Query {
  const status = statuses.find((one) => one === value);
  return {
    ...(q !== undefined && { q }),
    ...(field === 'attribute' && key !== undefined && { [`attributes.${key}`]: value }),
    ...(field === 'status' ? status && { status } : field && field !== 'attribute' && { [field]: value }),
    ...(from !== undefined && { 'created_at[gte]': startOfDay(from) }),
    ...(to !== undefined && { 'created_at[lt]': startOfDay(addDays(to, 1)) }),
    ...(q === undefined && sort && { sort }),
  };
}

export const isNarrowed = ({ q, field, from, to }: ContactSearch) => [q, field, from, to].some((part) => part !== undefined);
