import { firstInstantOf, wallClock, zoneOf } from '@mp/rules/calendar';

export const timezoneModes = ['fixed', 'recipient'] as const;
export type TimezoneMode = (typeof timezoneModes)[number];

/** What says when a campaign is sent. */
export type Timed = { timezone_mode?: TimezoneMode; fallback_timezone?: string | null; schedule_at: Date | string | null };

/** The instant of the schedule, which is the one for contacts in `fallback`, and what clocks show there, as if it were UTC. */
type LocalSchedule = { at: number; wall: number; fallback: string };

/** No time zone is further ahead of UTC. */
const maxAheadMs = 14 * 3_600_000;

function localScheduleOf({ timezone_mode, fallback_timezone, schedule_at }: Timed): LocalSchedule | undefined {
  if (timezone_mode !== 'recipient' || !fallback_timezone || schedule_at === null) return undefined;
  const at = new Date(schedule_at).getTime();
  return { at, wall: wallClock(at, fallback_timezone), fallback: fallback_timezone };
}

/** When the first email of a scheduled campaign may be due: in `recipient` mode, when the first zone reaches the local time. */
export function startsAt(campaign: Timed): Date | null {
  const local = localScheduleOf(campaign);
  if (local) return new Date(local.wall - maxAheadMs);
  return campaign.schedule_at === null ? null : new Date(campaign.schedule_at);
}

/**
 * When the email of a contact in this time zone is due, by the schedule alone; undefined for a campaign without one. Of a local
 * time that a zone skips or repeats, the first instant. Times are kept by zone, so use one for each batch.
 */
export function plannedTimes(campaign: Timed): (timezone: string | null | undefined) => Date | undefined {
  const local = localScheduleOf(campaign);
  const fixed = campaign.schedule_at === null ? undefined : new Date(campaign.schedule_at);
  if (!local) return () => fixed;
  const known = new Map<string | null | undefined, Date>();
  return (timezone) => {
    const zone = known.has(timezone) ? '' : zoneOf(timezone, local.fallback);
    const at = known.get(timezone) ?? new Date(zone === local.fallback ? local.at : firstInstantOf(local.wall, zone));
    known.set(timezone, at);
    return at;
  };
}
