import { isOpen, type Run } from './run.ts';

const hourMs = 60 * 60_000;

/** When an effect without a reply is requested again, counted from the first request. After the last one the step fails. */
export const repeatsMs = [10 * 60_000, hourMs, 6 * hourMs, 24 * hourMs];

/** When an open run must be processed even if no reply arrives; null when only a reply can advance it. */
export function wakeAtOf({ waiting, ...run }: Run): Date | null {
  if (!isOpen(run) || waiting === null) return null;
  switch (waiting.for) {
    case 'time':
    case 'event':
      return new Date(waiting.until);
    case 'effect':
      return new Date(Date.parse(waiting.since) + (repeatsMs[waiting.asked - 1] ?? 0));
    case 'capacity':
      return null;
    default:
      return new Date(waiting.at);
  }
}
