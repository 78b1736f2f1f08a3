import type { Report } from '@mp/move-in/plan';
import type { Counts } from '@mp/move-in/state';

/** Control characters of the other system could otherwise change what the terminal shows. */
const visible = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');
const maxLines = 40;

const section = (title: string, lines: readonly string[]) => {
  const shown = lines.slice(0, maxLines).map((text) => `  ${visible(text)}\n`);
  const more = lines.length > maxLines ? `  and ${lines.length - maxLines} more: see --output json\n` : '';
  return lines.length === 0 ? '' : `\n${title}\n${shown.join('')}${more}`;
};

/** What comes, what does not, and what will be different. */
export function reportText({ from, comes, events, skipped, changed, untranslated, stays_behind }: Report): string {
  const labels = Object.entries(comes).map(([name, count]) => `${String(count).padStart(9)}  ${name.replaceAll('_', ' ')}`);
  const findings = (all: Report['skipped']) => all.map(({ what, why, count }) => `${String(count).padStart(9)}  ${what}: ${why}`);
  return [
    `What comes from ${from}\n${labels.map((text) => `  ${text}\n`).join('')}`,
    section(
      'Events',
      events.map(({ name, count }) => `${String(count).padStart(9)}  ${name}`),
    ),
    section('Skipped', findings(skipped)),
    section('Different from there', findings(changed)),
    section(
      'Merge tags without an equal, which are removed',
      untranslated.map(({ template, tags }) => `${template}: ${tags.join(' ')}`),
    ),
    section('What is not migrated', stays_behind),
  ].join('');
}

export type Written = { steps: Record<string, Counts>; errors: string[] };

/** How it ended: the counts of each step, and what the platform rejected. */
export function writtenText({ steps, errors }: Written): string {
  const lines = Object.entries(steps).map(
    ([name, { created, updated, unchanged, failed }]) =>
      `${name}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`,
  );
  return `${section('Imported', lines)}${section('Rejected by the platform', errors)}`;
}
