import { nextCronTime, type Trigger } from '../workflows/trigger.ts';

export const hourMs = 60 * 60 * 1_000;

/** After an outage, dates further back than this start nothing. */
const maxLateMs = 24 * hourMs;

/** The first time after `after` at which a workflow with this trigger looks for contacts; undefined when it never does. */
export function nextTick(trigger: Trigger, after: Date): Date | undefined {
  if (trigger.type === 'schedule') return nextCronTime(trigger.cron, trigger.timezone, after);
  return trigger.type === 'date' ? new Date((Math.floor(after.getTime() / hourMs) + 1) * hourMs) : undefined;
}

/**
 * The time after a tick that is done. Of several times of a schedule that passed during an outage, only the first is caught up on; of a `date` trigger, all hours are, up to a day back.
 */
export function tickAfter(trigger: Trigger, at: Date, now: Date): Date | undefined {
  if (trigger.type === 'schedule') return nextTick(trigger, at > now ? at : now);
  return nextTick(trigger, new Date(Math.max(at.getTime(), now.getTime() - maxLateMs)));
}
