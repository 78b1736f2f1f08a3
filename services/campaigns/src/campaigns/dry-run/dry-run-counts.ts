import type { Contact } from '@mp/contracts/contact';
import type { ContactId } from '@mp/ids';
import { zoneOf } from '@mp/rules/calendar';
import type { RenderedMessage } from '@mp/templates/message';
import { plannedTimes } from '../../audience/local-time.ts';
import type { SkipReason } from '../../ledger/recipients/recipient.ts';
import type { Campaign } from '../campaign.ts';
import { type DryRun, samplesEach } from './dry-run.ts';

/** Accumulates the counts and samples of a dry run. */
export function createDryRunCounts(fallback: string | null) {
  const skipped = new Map<SkipReason, DryRun['skipped'][number]>();
  const samples: DryRun['samples'] = [];
  const byTimezone = new Map<string, number>();
  const missing = new Map<string, number>();
  let [audienceCount, wouldSend] = [0, 0];
  return {
    skip(reason: SkipReason, contact_id: ContactId, email: string | null, error: string | null = null) {
      const group = skipped.get(reason) ?? { reason, count: 0, samples: [] };
      const sample = { contact_id, email, error };
      skipped.set(reason, { reason, count: group.count + 1, samples: [...group.samples, sample].slice(0, samplesEach) });
      audienceCount += 1;
    },
    send(contact: Contact, { subject, html, text, missing_fields }: Partial<RenderedMessage> = {}) {
      audienceCount += 1;
      wouldSend += 1;
      if (fallback !== null) {
        const zone = zoneOf(contact.timezone, fallback);
        byTimezone.set(zone, (byTimezone.get(zone) ?? 0) + 1);
      }
      for (const field of missing_fields ?? []) missing.set(field, (missing.get(field) ?? 0) + 1);
      if (samples.length < samplesEach && typeof html === 'string')
        samples.push({
          ...{ contact_id: contact.id, email: contact.email, html },
          ...{ subject: subject ?? null, text: text ?? null, missing_fields: missing_fields ?? [] },
        });
    },
    needsSamples: () => samples.length < samplesEach,
    byTimezone,
    result: () => ({
      audience_count: audienceCount,
      would_send: wouldSend,
      missing_fields: [...missing].map(([field, contacts]) => ({ field, count: contacts })).toSorted((a, b) => b.count - a.count),
      skipped: [...skipped.values()],
      samples,
    }),
  };
}

/** When the contacts of each time zone would get the email, earliest first; null in `fixed` mode. */
export function timezonesOf(campaign: Campaign, byTimezone: ReadonlyMap<string, number>, now: Date): DryRun['timezones'] {
  if (campaign.timezone_mode === 'fixed') return null;
  const plannedIn = plannedTimes(campaign);
  return [...byTimezone]
    .map(([timezone, contacts]) => {
      const at = plannedIn(timezone);
      const lateBy = at ? Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000)) : null;
      return { timezone, count: contacts, send_at: at?.toISOString() ?? null, late_by_seconds: lateBy };
    })
    .sort((a, b) => (a.send_at ?? '').localeCompare(b.send_at ?? '') || a.timezone.localeCompare(b.timezone));
}
