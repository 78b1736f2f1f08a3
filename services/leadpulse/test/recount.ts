import type { AccountId } from '@mp/ids';
import type { Db } from 'mongodb';

/** The fields of a stored event that a recount reads. */
type Row = {
  visitor: string;
  message_id: string;
  name: string;
  time: Date;
  bot: boolean;
  page: { path: string | null } | null;
  utm: { source: string | null } | null;
  device: string | null;
  browser: string | null;
  value: { units: number; currency: string } | null;
};

type Found = {
  sessions: unknown[];
  rollups: Record<string, Record<string, number>>;
  days: Record<string, number[]>;
  spans: Record<string, number>;
  visitors: unknown[];
};

/** An hour, and days of 23, 24 and 25 hours. */
const spans = [4, 92, 96, 100];

const quarter = 900_000;
const day = 86_400_000;

/** Reads everything counted for an account, in a comparable form. */
export async function readCounted(db: Db, accountId: AccountId): Promise<{ events: Row[]; found: Found }> {
  const account = { account_id: accountId };
  const events = await db.collection<Row>('events').find(account).toArray();
  const sessions = await db.collection('sessions').find(account).toArray();
  const rollups = await db.collection('rollups').find(account).toArray();
  const days = await db.collection('visitor_days').find(account).toArray();
  const visitors = await db.collection('visitors').find(account).toArray();
  const daily = await db.collection('daily_visitors').find(account).toArray();
  return {
    events,
    found: {
      sessions: sorted(
        sessions.map(({ visitor, bot, started_at, ended_at, events: count, pageviews, values, entry, exit, touch }) => [
          ...[visitor, bot, started_at.getTime(), ended_at.getTime(), count, pageviews, sums(values)],
          ...[entry?.path ?? null, exit?.path ?? null, touch.channel, touch.source],
        ]),
      ),
      rollups: Object.fromEntries(
        rollups
          .map(({ grain, dimension, value, at, bot, values, ...counts }): [string, Record<string, number>] => [
            [grain, dimension, value, at.getTime(), bot].join(' '),
            nonZero({
              ...Object.fromEntries(['events', 'pageviews', 'sessions', 'bounces', 'duration_ms'].map((name) => [name, counts[name] ?? 0])),
              ...values,
            }),
          ])
          .filter(([, counts]) => Object.keys(counts).length > 0)
          .sort(),
      ),
      days: Object.fromEntries(
        days
          .map(({ visitor, bot, day: of, quarters }): [string, number[]] => [
            [visitor, bot, of.getTime()].join(' '),
            quarters.sort((a: number, b: number) => a - b),
          ])
          .sort(),
      ),
      spans: sortedCounts(
        daily.flatMap(({ bots, day: of, steps }) =>
          Object.entries<Record<string, number>>(steps).flatMap(([span, changes]) => {
            let sum = 0;
            return Array.from({ length: day / quarter }, (_, index): [string, number] => {
              sum += changes[index] ?? 0;
              return [[bots, span, of.getTime() / quarter + index].join(' '), sum];
            });
          }),
        ),
      ),
      visitors: sorted(
        visitors.map(({ _id, first_seen_at, last_seen_at, events: count, pageviews, sessions: own, bot, first_touch, last_touch }) => [
          ...[_id, first_seen_at.getTime(), last_seen_at.getTime(), count, pageviews, own, bot],
          ...[first_touch.source, last_touch.at.getTime(), last_touch.source],
        ]),
      ),
    },
  };
}

/** Computes the same from the events alone, in one pass over them in order. */
export function expectedOf(events: readonly Row[], idleMs = 1_800_000): Found {
  const rollups = new Map<string, Record<string, number>>();
  const count = (
    dimension: string,
    value: string | null,
    { at, bot, counts }: { at: number; bot: boolean; counts: Record<string, number> },
  ) => {
    if (value === null) return;
    for (const [grain, ms] of [
      ['quarter', quarter],
      ['day', day],
    ] as const) {
      const key = [grain, dimension, value, Math.floor(at / ms) * ms, bot].join(' ');
      const row = rollups.get(key) ?? {};
      for (const [name, number] of Object.entries(counts)) row[name] = (row[name] ?? 0) + number;
      rollups.set(key, row);
    }
  };
  const days = new Map<string, Set<number>>();
  const inSpan = new Map<string, Set<string>>();
  const sessions: unknown[] = [];
  const visitors: unknown[] = [];
  const order = (a: Row, b: Row) => a.time.getTime() - b.time.getTime() || (a.message_id < b.message_id ? -1 : 1);

  for (const event of events) {
    const at = event.time.getTime();
    const counts = {
      events: 1,
      pageviews: event.name === '$pageview' ? 1 : 0,
      ...(event.value && { [event.value.currency]: event.value.units }),
    };
    count('all', '', { at, bot: event.bot, counts });
    count('event', event.name, { at, bot: event.bot, counts });
    count('page', event.page?.path ?? null, { at, bot: event.bot, counts });
    const key = [event.visitor, event.bot, Math.floor(at / day) * day].join(' ');
    days.set(key, (days.get(key) ?? new Set()).add(Math.floor((at % day) / quarter)));
    for (const bots of event.bot ? [true] : [false, true]) {
      for (const span of spans) {
        for (let back = 0; back < span; back += 1) {
          const start = [bots, span, Math.floor(at / quarter) - back].join(' ');
          inSpan.set(start, (inSpan.get(start) ?? new Set()).add(event.visitor));
        }
      }
    }
  }

  for (const [visitor, own] of Map.groupBy(events.toSorted(order), (event) => event.visitor)) {
    const all: { last: Row; source: string; first: Row }[] = [];
    for (const [bot, stream] of Map.groupBy(own, (event) => event.bot)) {
      const parts: Row[][] = [];
      for (const event of stream) {
        const open = parts.at(-1);
        const last = open?.at(-1);
        if (open && last && event.time.getTime() - last.time.getTime() < idleMs) open.push(event);
        else parts.push([event]);
      }
      for (const part of parts) {
        const [first, last] = [part[0], part.at(-1)];
        if (!first || !last) continue;
        const views = part.filter(({ name }) => name === '$pageview');
        const values: Record<string, number> = {};
        for (const { value } of part) if (value) values[value.currency] = (values[value.currency] ?? 0) + value.units;
        const arrival = part.find(({ page, utm }) => page !== null || utm !== null);
        const source = arrival?.utm?.source ?? 'direct';
        const channel = { google: 'organic_search', newsletter: 'referral', direct: 'direct' }[source] ?? '';
        const duration = last.time.getTime() - first.time.getTime();
        const isBounce = views.length <= 1 && part.every(({ name }) => name.startsWith('$'));
        sessions.push([
          ...[visitor, bot, first.time.getTime(), last.time.getTime(), part.length, views.length, sums(values)],
          ...[views[0]?.page?.path ?? null, views.at(-1)?.page?.path ?? null, channel, source],
        ]);
        const visit = { sessions: 1, bounces: isBounce ? 1 : 0, duration_ms: duration };
        const whole = { ...visit, events: part.length, pageviews: views.length, ...values };
        const at = first.time.getTime();
        count('all', '', { at, bot, counts: visit });
        count('page', views[0]?.page?.path ?? null, { at, bot, counts: visit });
        count('channel', channel, { at, bot, counts: whole });
        count('source', source, { at, bot, counts: whole });
        count('utm_source', arrival?.utm?.source ?? null, { at, bot, counts: whole });
        count('device', first.device, { at, bot, counts: whole });
        count('browser', first.browser, { at, bot, counts: whole });
        all.push({ first, last, source });
      }
    }
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last) continue;
    const firstSession = all.toSorted((a, b) => order(a.first, b.first))[0];
    const lastSession = all.toSorted((a, b) => order(a.last, b.last)).at(-1);
    visitors.push([
      ...[
        visitor,
        first.time.getTime(),
        last.time.getTime(),
        own.length,
        own.filter(({ name }) => name === '$pageview').length,
        all.length,
      ],
      ...[own.every(({ bot }) => bot), firstSession?.source, lastSession?.first.time.getTime(), lastSession?.source],
    ]);
  }
  return {
    sessions: sorted(sessions),
    rollups: Object.fromEntries(
      [...rollups]
        .map(([key, counts]): [string, Record<string, number>] => [key, nonZero(counts)])
        .filter(([, counts]) => Object.keys(counts).length > 0)
        .sort(),
    ),
    days: Object.fromEntries([...days].map(([key, quarters]): [string, number[]] => [key, [...quarters].sort((a, b) => a - b)]).sort()),
    spans: sortedCounts([...inSpan].map(([start, those]): [string, number] => [start, those.size])),
    visitors: sorted(visitors),
  };
}

const sortedCounts = (counts: [string, number][]) => Object.fromEntries(counts.filter(([, count]) => count !== 0).sort());

const nonZero = (counts: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(counts)
      .filter(([, number]) => number !== 0)
      .sort(),
  );
const sums = (values: Record<string, number>) => JSON.stringify(nonZero(values));
const sorted = (rows: unknown[]) => rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
