import { text } from 'node:stream/consumers';
import { ApiError, type MarketingPlatform } from '@marketing-platform/sdk';
import type { Target, Track, Tracked } from '@mp/move-in/target';
import { followImport } from '../import-contacts.ts';

const rejections = [400, 413];

/** Events whose rejection is said of each, not of all. */
export const trackWith =
  (mp: MarketingPlatform): Track =>
  (events) =>
    mp.request<Tracked>({ method: 'POST', path: '/v2/leadpulse/track', body: { events }, isWrite: true });

/** The account of a key. */
export const createSdkTarget = (mp: MarketingPlatform): Target => ({
  suppress: (suppressions) => mp.contacts.suppressions.batch({ suppressions: [...suppressions], start_workflows: false }),
  createImport: (body, query, idempotencyKey) =>
    mp.contacts.imports.create({ body, type: 'application/x-ndjson' }, query, { idempotencyKey, timeout: 3_600_000 }),
  getImport: (id) => mp.contacts.imports.get(id),
  followImport: (job) => followImport(mp, job),
  async importErrors(id) {
    const { body } = await mp.contacts.imports.errors(id);
    return body ? text(body) : '';
  },
  async findStaticSegment(wanted) {
    for await (const { id, name, kind } of mp.segments.list({ name: wanted })) if (name === wanted && kind === 'static') return id;
    return undefined;
  },
  createStaticSegment: async (name, idempotencyKey) => (await mp.segments.create({ name, kind: 'static' }, { idempotencyKey })).id,
  async templateNames() {
    const names: string[] = [];
    for await (const { name } of mp.campaigns.templates.list({ limit: 100 })) names.push(name);
    return names;
  },
  async createTemplate(template) {
    try {
      await mp.campaigns.templates.create(template);
      return undefined;
    } catch (error) {
      // One with this name is there already.
      if (error instanceof ApiError && error.status === 409) return undefined;
      if (!(error instanceof ApiError) || !rejections.includes(error.status)) throw error;
      return error.message;
    }
  },
});
