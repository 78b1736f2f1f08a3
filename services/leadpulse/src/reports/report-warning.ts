import { z } from 'zod';
import type { Range } from '../rollups/rollups-store.ts';
import { type LeadpulseSettings, storedSince } from '../settings/settings.ts';

/** Why a result is not complete. */
export const ReportWarning = z
  .object({
    code: z
      .enum(['before_retention', 'too_many_merges'])
      .describe(
        '`before_retention`: a part of the range is older than the retention in the settings. `too_many_merges`: some merged contacts are counted separately from their survivors.',
      ),
    message: z.string().describe('What is incomplete, in words.'),
  })
  .meta({ id: 'ReportWarning' });
export type ReportWarning = z.output<typeof ReportWarning>;

/** A warning if the events of some of these ranges are deleted in part. */
export function retentionWarnings(settings: LeadpulseSettings, ranges: readonly Pick<Range, 'from'>[]): ReportWarning[] {
  const since = storedSince(settings);
  if (ranges.every(({ from }) => from >= since)) return [];
  const message =
    `Events from before ${since.toISOString()} are deleted, because the settings keep them for ${settings.retention_days} days; ` +
    'what happened earlier is not counted.';
  return [{ code: 'before_retention', message }];
}
