import type { Report } from '@mp/move-in/plan';
import type { Manifest } from '../../move-out/export-folder.ts';
import { rowsOf } from '../../move-out/export-folder.ts';
import { kinds } from '../../move-out/kinds.ts';
import { type Resource, resourceOf } from './resources.ts';

type Suppressed = { email?: string; domain?: string; reason: 'hard_bounce' | 'complaint' | 'manual'; suppressed_at: string; note?: string };

/** Suppressions whose address is known; of erased contacts, only a hash remains, which another account cannot check. */
export async function suppressionsIn(folder: string, manifest: Manifest): Promise<{ rows: Suppressed[]; hashes: number }> {
  const rows: Suppressed[] = [];
  let hashes = 0;
  for await (const row of rowsOf(folder, 'suppressions', manifest)) {
    const { email, domain, reason, suppressed_at, note } = row as Record<keyof Suppressed, string | null>;
    if (email === null && domain === null) hashes += 1;
    else
      rows.push({
        ...{ ...(email !== null && { email }), ...(email === null && domain !== null && { domain }) },
        ...{ reason: reason === 'hard_bounce' || reason === 'complaint' ? reason : 'manual', suppressed_at: String(suppressed_at) },
        ...(note !== null && { note }),
      });
  }
  return { rows, hashes };
}

export const staysBehind = [
  'keys, passwords and secrets: of API keys, providers, single sign-on and webhooks',
  'users with their roles, sending domains and senders, which are verified for one account',
  'comments and report emails, which belong to users',
  'settings, except topics: they decide what is sent when',
  'sent emails with their opens and clicks, reports, runs of workflows, timelines and the consent changes before the current ones',
  'codes of coupons',
  'records of what happened: imports, exports and bulk jobs, merges, changes of segments, deliveries of webhooks, Segment calls, the audit log and usage',
  'the device, country and campaign of events, and events of bots',
  'versions: of templates, segments, forms and workflows comes the current one',
];

/** What an export has, in the words of the report of an import. */
export async function planAccount(folder: string, manifest: Manifest): Promise<{ resources: Resource[]; report: Report }> {
  const rows = [];
  for (const kind of kinds) for await (const row of rowsOf(folder, kind.name, manifest)) rows.push({ kind, row });
  const exported = new Set(rows.map(({ row }) => String(row.id)));
  const resources = rows.map(({ kind, row }) => resourceOf(kind, row, exported));
  const { rows: suppressions, hashes } = await suppressionsIn(folder, manifest);
  const count = (name: string) => manifest.parts[name]?.count ?? 0;
  const running = resources.filter(({ kind: { name } }) => name === 'campaigns' || name === 'workflows').length;
  const finding = (what: string, why: string, of: number) => (of > 0 ? [{ what, why, count: of }] : []);
  return {
    resources,
    report: {
      from: manifest.account.name,
      comes: {
        ...{ contacts: count('contacts'), suppressions: suppressions.length, events: count('events'), images: count('images') },
        ...Object.fromEntries(kinds.map(({ name }) => [name, count(name)])),
      },
      skipped: [
        ...finding('suppressions', 'of erased contacts are only hashes, which another account cannot check', hashes),
        ...manifest.left_out.map((what) => ({ what, why: 'is not in the export', count: 1 })),
      ],
      changed: [
        ...finding('campaigns and workflows', 'become drafts, so that nothing is sent and nothing starts', running),
        ...finding('webhooks', 'are disabled and have a new secret', count('webhooks')),
        ...finding('sites', 'have a new key, which goes into their snippet', count('sites')),
        ...finding('contacts', 'keep when they were created in the attribute original_created_at', count('contacts')),
      ],
      ...{ events: [], untranslated: [], stays_behind: staysBehind },
    },
  };
}
