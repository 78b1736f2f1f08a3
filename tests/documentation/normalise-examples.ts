import type { Json } from '../contract.ts';
import type { RecordedOperation } from './fixtures.ts';

/** The recorded requests and responses of every operation, by operation ID. */
export type RecordedExamples = Record<string, RecordedOperation[]>;

/** The time that examples show for the moment they were recorded. */
const clock = Date.parse('2026-09-01T09:30:00.000Z');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Times farther from the recording are part of the requests, which are the same in every recording. */
const maxShiftMs = 100 * dayMs;

const instants = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** An ID as `newId` makes it, or only the part after its prefix. */
const ids = /\b(?:([a-z]+)_)?0[0-7][0-9a-hjkmnp-tv-z]{24}/g;

/** What differs in every recording, with the text that replaces it. Secrets look valid, although their platform is gone. */
const constants: readonly [RegExp, string][] = [
  [/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, 'https://marketing.example.com'],
  [/(mp_[a-z]+_)(?!EXAMPLE)[\w-]{40,}/g, '$1EXAMPLE'],
  [/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_EXAMPLE'],
  [/token=[A-Za-z0-9_-]{40,}/g, 'token=EXAMPLE'],
  // A signed path, such as that of a provider's webhook.
  [/(\/t\/[a-z]+\/)[\w.-]{40,}/g, '$1EXAMPLE'],
  // The name of an image of an email.
  [/(\/t\/i\/)[\w-]{24}(?=\.)/g, `$1${'IMAGE'.padEnd(24, '0')}`],
  // A signed cursor.
  [/\beyJ[\w-]+\.[0-9a-f]{8}\.[\w-]+/g, 'eyJFWEFNUExF'],
  // A DKIM key and its selector.
  [/\bp=MII[A-Za-z0-9+/=]+/g, 'p=MIIEXAMPLE'],
  [/\bmp[0-9a-z]{10}(?=\._domainkey)/g, 'mpexample'],
  [/(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '00000000-0000-4000-8000-000000000001'],
  [/^[\w-]{43}$/g, 'EXAMPLE'.padEnd(43, '0')],
  // A hash of content that differs.
  [/\b[0-9a-f]{64}\b/g, 'fedcba9876543210'.repeat(4)],
];

/** Fields whose value differs in every recording, although it does not look like an ID, a time or a secret. */
const fields: Readonly<Record<string, Json>> = { last4: 'MPLE', duration_ms: 12, p95_ms: 12 };

/** The examples with the same IDs, times and secrets in every recording, and at most three items in each list of a response. */
export const normaliseExamples = (examples: RecordedExamples, recordedAt: Date): RecordedExamples =>
  Object.fromEntries(
    Object.entries(examples)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, recorded]) => [id, recorded.map((example) => normaliseExample(example, recordedAt.getTime()))]),
  );

function normaliseExample(example: RecordedOperation, recordedAt: number): RecordedOperation {
  const normaliseText = createTextNormaliser(recordedAt);
  function normalise(value: Json, name: string, maxItems: number): Json {
    if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => normalise(item, '', maxItems));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([own, member]) => [own, normalise(member, own, own === 'answer' ? 3 : maxItems)]),
      );
    if (typeof value === typeof fields[name]) return fields[name];
    if (typeof value !== 'string') return value;
    return name === 'prefix' ? value.replace(/^(mp_[a-z]+_).*$/, '$1EXAM') : normaliseText(value);
  }
  return normalise(example, '', Number.POSITIVE_INFINITY);
}

/** Numbers the IDs of each kind in the order of their appearance. */
function createTextNormaliser(recordedAt: number) {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();

  function numbered(id: string, prefix = '') {
    const number = (counts.get(prefix) ?? 0) + (known.has(id) ? 0 : 1);
    const text = known.get(id) ?? `${prefix === '' ? '' : `${prefix}_`}01kjn2v0a7e8ws3q4m5x6y${String(number).padStart(4, '0')}`;
    counts.set(prefix, number);
    known.set(id, text);
    return text;
  }

  return (value: string) => {
    const withoutSecrets = constants.reduce((text, [pattern, constant]) => text.replaceAll(pattern, constant), value);
    return withoutSecrets.replaceAll(ids, numbered).replaceAll(instants, (text) => atClock(text, recordedAt));
  };
}

/** Midnight stays midnight, because days of reports begin then. Other times keep their distance from the recording in hours. */
function atClock(text: string, recordedAt: number): string {
  const instant = Date.parse(text);
  if (Math.abs(instant - recordedAt) > maxShiftMs) return text;
  const shifted =
    instant % dayMs === 0
      ? instant + startOfDay(clock) - startOfDay(recordedAt)
      : clock + Math.round((instant - recordedAt) / hourMs) * hourMs;
  return new Date(shifted).toISOString();
}

const startOfDay = (instant: number) => instant - (instant % dayMs);
