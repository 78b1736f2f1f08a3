import { ApiError, type MarketingPlatform } from '@marketing-platform/sdk';
import { noCounts, plus, type Steps } from '@mp/move-in/steps';
import type { Manifest } from '../../move-out/export-folder.ts';
import { rowsOf } from '../../move-out/export-folder.ts';
import type { State } from '../state-file.ts';

type Deps = { mp: MarketingPlatform; folder: string; manifest: Manifest; steps: Steps };
type Topic = { id: string; name: string };

/** The topics of the exported account beside those of this one. Other settings decide what is sent when, so a person sets them. */
export async function writeSettings({ mp, folder, manifest, steps: { step, note } }: Deps) {
  await step('topics', async () => {
    let counts = noCounts;
    for await (const { service, settings } of rowsOf(folder, 'settings', manifest)) {
      if (service !== 'campaigns') continue;
      const wanted: Topic[] = Object(settings).topics ?? [];
      const { topics } = await mp.request<{ topics: Topic[] }>({ method: 'GET', path: '/v2/campaigns/settings' });
      const missing = wanted.filter(({ id }) => !topics.some((topic) => topic.id === id));
      counts = plus(counts, { ...noCounts, unchanged: wanted.length - missing.length });
      if (missing.length === 0) continue;
      try {
        await mp.request({ method: 'PUT', path: '/v2/campaigns/settings', body: { topics: [...topics, ...missing] }, isWrite: true });
        counts = plus(counts, { ...noCounts, created: missing.length });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        note(`topics: ${error.message}`);
        counts = plus(counts, { ...noCounts, failed: missing.length });
      }
    }
    return counts;
  });
}

type Image = { id: string; url: string; name: string; size: number };
type Images = { items: Image[]; pagination: { next_cursor: string | null } };

const nameOf = ({ name, size }: Pick<Image, 'name' | 'size'>) => `${size} ${name}`;

/** The URLs of the images that this account has, by name and size. */
async function readImages(mp: MarketingPlatform): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 100, ...(cursor !== undefined && { cursor }) };
    const page: Images = await mp.request<Images>({ method: 'GET', path: '/v2/campaigns/images', query });
    for (const image of page.items) urls.set(nameOf(image), image.url);
    cursor = page.pagination.next_cursor;
  }
  return urls;
}

/** Images, so that the emails of this account refer to its own. */
export async function writeImages({ mp, folder, manifest, steps, state, known }: Deps & { state: State; known: Map<string, string> }) {
  if (!manifest.parts.images?.count) return;
  const existing = await readImages(mp);
  for await (const { id, url, name, size, content } of rowsOf(folder, 'images', manifest)) {
    const label = `images ${id}`;
    await steps.step(label, async (its, key) => {
      its.position = existing.get(nameOf({ name: String(name), size: Number(size) }));
      if (its.position !== undefined) return { ...noCounts, unchanged: 1 };
      try {
        const image = await mp.request<Image>(
          { method: 'POST', path: '/v2/campaigns/images', body: { name, content }, isWrite: true },
          { idempotencyKey: key },
        );
        its.position = image.url;
        return { ...noCounts, created: 1 };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error;
        steps.note(`image ${name}: ${error.message}`);
        return { ...noCounts, failed: 1 };
      }
    });
    const here = state.steps[label]?.position;
    if (here !== undefined) known.set(String(url), here);
  }
}
