import fc from 'fast-check';
import type { Contract, Json } from '../contract.ts';
import { anyValue } from './any-value.ts';
import { bodySchema, type Operation, type Request, withQuery } from './requests.ts';

/** Dates and times at the edges of calendars, clocks and formats, mostly invalid; the most difficult first. */
const moments = [
  '0000-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00.001Z',
  '0999-12-31T23:59:59-23:59',
  '1582-10-10T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '2016-12-31T23:59:60Z',
  '2024-02-29T24:00:00Z',
  '2025-10-26T00:30:00',
  '2025-11-02T00:30:00-05:00',
  '2199-12-31T23:59:59.999Z',
  '9998-12-31T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '2025-01-01T00:00:00+24:00',
];
const days = [
  '0000-01-01',
  '0001-01-01',
  '0999-12-31',
  '1900-02-29',
  '2000-02-29',
  '2025-10-26',
  '9999-12-30',
  '9999-12-31',
  '10000-01-01',
];
const times = [...moments, ...days];
const zones = [
  '+00:07',
  '-23:59',
  '+14:00',
  'UTC+2',
  'GMT',
  'Etc/GMT-14',
  'Etc/GMT+12',
  'europe/berlin',
  'America/Havana',
  'Atlantic/Azores',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'EST5EDT',
  'Factory',
  'Mars/Olympus',
  '../../etc/passwd',
  '\ud800',
  '',
];
const durations = ['P400D', 'P999999999D', 'P57W', 'PT0S', 'PT1S', 'P1Y', 'PT9999999999H', 'P-1D'];

type Place = { edges: readonly string[]; make: (value: Json) => fc.Arbitrary<Json> };

/** The edge values for a schema of a time, time zone or duration. */
function edgesOf(name: string, { format, type, description = '' }: Json): readonly string[] | undefined {
  if (type !== 'string') return undefined;
  if (/timezone/i.test(name)) return zones;
  if (format === 'date' || format === 'date-time') return times;
  if (/^A calendar day|ISO 8601 date/.test(description)) return times;
  return /ISO 8601/.test(description) ? durations : undefined;
}

/** Every place in a schema for a time, time zone or duration, with whole values that have an edge value there. */
function placesIn(schema: Json, schemas: Record<string, Json>, name = '', seen: readonly string[] = []): Place[] {
  if (schema.$ref) {
    const ref: string = schema.$ref.split('/').at(-1);
    return seen.includes(ref) ? [] : placesIn(schemas[ref], schemas, name, [...seen, ref]);
  }
  const options: Json[] | undefined = schema.anyOf ?? schema.oneOf;
  if (options) return options.flatMap((option) => placesIn(option, schemas, name, seen));
  if (schema.type === 'array')
    return placesIn(schema.items ?? {}, schemas, name, seen).map(({ make, edges }) => ({
      edges,
      make: (value) => make(value).map((item) => [item]),
    }));
  if (schema.type === 'object') {
    const members = Object.entries<Json>({
      ...schema.properties,
      ...(typeof schema.additionalProperties === 'object' && { any_key: schema.additionalProperties }),
    });
    // Only required fields, so that other errors are unlikely.
    const isNeeded = ([key]: [string, Json]) => (schema.required ?? []).includes(key);
    const needed = { ...schema, properties: Object.fromEntries(Object.entries<Json>(schema.properties ?? {}).filter(isNeeded)) };
    return members.flatMap(([key, member]) =>
      placesIn(member, schemas, key, seen).map(({ make, edges }) => ({
        edges,
        make: (value) => fc.tuple(anyValue(needed, schemas, 3), make(value)).map(([whole, inner]) => ({ ...whole, [key]: inner })),
      })),
    );
  }
  const edges = edgesOf(name, schema);
  return edges ? [{ edges, make: fc.constant }] : [];
}

/** With more places than this, each gets one of the edge values. */
const manyPlaces = 12;

/**
 * Requests to one operation with edge values in each time parameter and field, and in several of them together; empty if it
 * has none. `all` uses every edge value, otherwise the most difficult ones and some others.
 */
export function requestsInTime({ document }: Contract, { method, operation, template }: Operation, seed: number, all: boolean): Request[] {
  const some = (edges: readonly string[]) =>
    all ? edges : [...edges.slice(0, 3), ...fc.sample(fc.constantFrom(...edges.slice(3)), { seed, numRuns: 3 })];
  const { schemas } = document.components;
  const query: { name: string; edges: readonly string[] }[] = (operation.parameters ?? [])
    .filter((parameter: Json) => parameter.in === 'query')
    .flatMap(({ name, schema }: Json) => placesIn(schema, schemas, name).map(({ edges }) => ({ name, edges })));
  const alone = query.flatMap(({ name, edges }) => some(edges).map((edge) => ({ [name]: edge })));
  const together = fc.record(Object.fromEntries(query.map(({ name, edges }) => [name, fc.constantFrom(...edges)])), { requiredKeys: [] });
  const queries = query.length === 0 ? [] : [...alone, ...fc.sample(together, { seed, numRuns: all ? 100 : 10 })];
  const body = bodySchema(operation);
  const places = body ? placesIn(body, schemas) : [];
  const one = (edges: readonly string[], index: number) => edges.slice((seed + index) % edges.length).slice(0, 1);
  const bodies = places.flatMap(({ make, edges }, index) =>
    (all || places.length <= manyPlaces ? some(edges) : one(edges, index)).flatMap((edge) => fc.sample(make(edge), { seed, numRuns: 1 })),
  );
  return [
    ...queries.map((values) => ({ method, target: withQuery(template, values) })),
    ...bodies.map((value) => ({ method, target: template, body: value })),
  ];
}
