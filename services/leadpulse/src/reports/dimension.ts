import { z } from 'zod';
import type { ReportEvent } from '../events/report-events.ts';

/** The dimensions that every event itself has. */
const values = {
  event: ({ name }) => name,
  page: ({ path }) => path ?? null,
  title: ({ title }) => title ?? null,
  // Events are read with the beginning of their URL, which need not be a URL.
  host: ({ url }) => (url && URL.canParse(url) ? new URL(url).hostname || null : null),
  utm_source: ({ utm }) => utm?.source ?? null,
  utm_medium: ({ utm }) => utm?.medium ?? null,
  utm_campaign: ({ utm }) => utm?.campaign ?? null,
  utm_term: ({ utm }) => utm?.term ?? null,
  utm_content: ({ utm }) => utm?.content ?? null,
  country: ({ country }) => country,
  device: ({ device }) => device,
  browser: ({ browser }) => browser,
  os: ({ os }) => os,
} as const satisfies Record<string, (event: ReportEvent) => string | null>;

type Known = keyof typeof values;
const isKnown = (name: string): name is Known => Object.hasOwn(values, name);
const known = Object.keys(values).filter(isKnown);

const prefix = 'properties.';

/** A dimension of an event, or one of its properties. */
export const EventDimension = z.union(
  [
    z.enum(known).meta({ title: 'Dimension of the event' }),
    z
      .string()
      .max(250)
      .regex(/^properties\../)
      .meta({ title: 'Property of the event' }),
  ],
  `expected one of ${known.join(', ')}, or properties.<name>`,
);

/** The value of a dimension, as text; null if the event has none. */
export function dimensionValue(dimension: string): (event: ReportEvent) => string | null {
  if (isKnown(dimension)) return values[dimension];
  const name = dimension.slice(prefix.length);
  return ({ properties }) => {
    const value = Object.hasOwn(properties, name) ? properties[name] : null;
    return value == null ? null : String(value).slice(0, 500);
  };
}
