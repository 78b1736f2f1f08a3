import type { Event } from '../events/event.ts';
import { type Contribution, type Counters, none, type SessionDimension, sessionDimensionNames } from '../rollups/rollup.ts';
import { durationMs, isBounce, isPageview, type Session } from '../sessions/session.ts';

export function contributionsOfEvent(event: Event): Contribution[] {
  const { time: at, bot, name } = event;
  const pageviews = isPageview(event) ? 1 : 0;
  const counters: Counters = { ...none, events: 1, pageviews, values: event.value ? { [event.value.currency]: event.value.units } : {} };
  const path = event.page?.path ?? null;
  return [
    { dimension: 'all', value: '', at, bot, counters },
    { dimension: 'event', value: name, at, bot, counters },
    ...(path === null ? [] : [{ dimension: 'page' as const, value: path, at, bot, counters }]),
  ];
}

export function contributionsOfSession(session: Session): Contribution[] {
  const { bot, first, events, pageviews, values } = session;
  const visit: Counters = { ...none, sessions: 1, bounces: isBounce(session) ? 1 : 0, duration_ms: durationMs(session) };
  const whole: Counters = { ...visit, events, pageviews, values };
  const own: Record<SessionDimension, string | null> = {
    channel: session.touch.channel,
    source: session.touch.source,
    referrer: session.touch.referrer,
    utm_source: session.touch.utm_source,
    utm_campaign: session.touch.utm_campaign,
    country: session.country,
    device: session.device,
    browser: session.browser,
  };
  const entry = session.entry?.path ?? null;
  const at = first.at;
  return [
    { dimension: 'all', value: '', at, bot, counters: visit },
    ...(entry === null ? [] : [{ dimension: 'page' as const, value: entry, at, bot, counters: visit }]),
    ...sessionDimensionNames.flatMap((dimension) => {
      const value = own[dimension];
      return value === null ? [] : [{ dimension, value, at, bot, counters: whole }];
    }),
  ];
}
