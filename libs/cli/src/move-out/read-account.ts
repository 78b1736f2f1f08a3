import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type Export, type MarketingPlatform } from '@marketing-platform/sdk';
import type { ExportFolder } from './export-folder.ts';
import { rowsOf } from './export-folder.ts';
import { type Kind, kinds, settingsPaths } from './kinds.ts';

type Row = Record<string, unknown>;
type Listed = { items: Row[]; pagination: { next_cursor: string | null } };
type Deps = { mp: MarketingPlatform; folder: string; files: ExportFolder; note: (text: string) => void };

const rowsAtOnce = 1_000;
const pollMs = 1_000;

/** Writes everything of an account into the files of a folder. What is written already is not read again. */
export function createAccountReader({ mp, folder, files, note }: Deps) {
  const leftOut = (text: string) => {
    if (!files.manifest.left_out.includes(text)) files.manifest.left_out.push(text);
  };

  const get = (path: string, query: object = {}) => mp.request<Listed>({ method: 'GET', path, query });

  /** Pages of a list, oldest first where the list can, so that what is added meanwhile comes at the end. */
  async function* pagesOf(path: string, query: object, cursor: string | null) {
    for (let next = cursor; ; ) {
      const { items, pagination } = await get(path, { limit: 100, ...query, ...(next !== null && { cursor: next }) });
      next = pagination.next_cursor;
      yield { rows: items, next };
      if (next === null) return;
    }
  }

  /** `position` is the index of the list and the cursor in it. */
  async function* rowsOfKind({ path, queries, isListedWithoutContent }: Kind, position: string | null) {
    const [start, cursor]: [number, string | null] = position === null ? [0, null] : JSON.parse(position);
    for (const [index, query] of queries.entries()) {
      if (index < start) continue;
      for await (const page of pagesOf(path, query, index === start ? cursor : null)) {
        const rows: Row[] = [];
        for (const row of page.rows) rows.push(...(isListedWithoutContent ? await detailsOf(path, row) : [row]));
        yield { rows, next: JSON.stringify(page.next === null ? [index + 1, null] : [index, page.next]) };
      }
    }
  }

  /** None if it was deleted since it was listed. */
  async function detailsOf(path: string, { id }: Row): Promise<Row[]> {
    try {
      return [await mp.request<Row>({ method: 'GET', path: `${path}/${encodeURIComponent(String(id))}` })];
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }
  }

  async function jobOf(id: string | null, body: object): Promise<Export> {
    const known = id === null ? undefined : await mp.contacts.exports.get(id).catch(() => undefined);
    let job = known ?? (await mp.contacts.exports.create({ format: 'ndjson', ...body }));
    while (job.status === 'queued' || job.status === 'running') {
      await pause(pollMs);
      job = await mp.contacts.exports.get(job.id);
    }
    if (job.status === 'failed') throw new Error(`Export ${job.id} has failed: ${job.error?.message ?? ''}`);
    return job;
  }

  /** The contacts of an export job, some at a time. */
  async function* contactsOf(job: Export) {
    const { body } = await mp.requestRaw({ method: 'GET', path: job.download_url ?? '' }, { timeout: 3_600_000 });
    if (!body) return;
    let rows: Row[] = [];
    for await (const line of createInterface({ input: Readable.fromWeb(body), crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line !== '') rows.push(JSON.parse(line));
      if (rows.length < rowsAtOnce) continue;
      yield rows;
      rows = [];
    }
    yield rows;
  }

  /** The job's ID is kept, so that a download that ended early does not start another one; what was written of it is skipped. */
  async function* allContacts(position: string | null) {
    const [id, written]: [string | null, number] = position === null ? [null, 0] : JSON.parse(position);
    const job = await jobOf(id, { evidence: true });
    const isSame = job.id === id;
    if (id !== null && !isSame) throw new Error('The export of contacts has expired on the platform. Delete the folder and start again.');
    yield { rows: [], next: JSON.stringify([job.id, written]) };
    let seen = 0;
    for await (const rows of contactsOf(job)) {
      seen += rows.length;
      if (seen > written) yield { rows, next: JSON.stringify([job.id, seen]) };
    }
  }

  /** The members of static segments, by their identifiers. `position` is the number of segments that are done. */
  async function* members(position: string | null) {
    const done = Number(position ?? 0);
    let index = 0;
    for await (const { id, kind, name } of rowsOf(folder, 'segments', files.manifest)) {
      index += 1;
      if (kind !== 'static' || index <= done) continue;
      const found: Row[] = [];
      try {
        for await (const rows of contactsOf(await jobOf(null, { filter: { segment_id: String(id) } })))
          for (const { email, external_id, phone } of rows) found.push({ segment_id: id, email, external_id, phone });
      } catch (error) {
        if (!(error instanceof ApiError) || ![400, 404].includes(error.status)) throw error;
        leftOut(`Members of the segment ${name}: ${error.message}`);
      }
      yield { rows: found, next: String(index) };
    }
  }

  async function* images(position: string | null) {
    for await (const page of pagesOf('/v2/campaigns/images', {}, position)) {
      const rows: Row[] = [];
      for (const image of page.rows) {
        const response = await fetch(String(image.url), { signal: AbortSignal.timeout(60_000) }).catch(() => undefined);
        if (response?.ok) rows.push({ ...image, content: Buffer.from(await response.arrayBuffer()).toString('base64') });
        else leftOut(`Image ${image.name}: ${image.url} responds with ${response?.status ?? 'nothing'}.`);
      }
      yield { rows, next: page.next };
    }
  }

  async function* settings() {
    const rows: Row[] = [];
    for (const [service, path] of Object.entries(settingsPaths)) {
      const found = await mp.request<Row>({ method: 'GET', path }).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 403) throw error;
        leftOut(`Settings of ${service}: ${error.message}`);
      });
      if (found) rows.push({ service, settings: found });
    }
    yield { rows, next: null };
  }

  const oldestFirst = (path: string, sort: string) => (position: string | null) => pagesOf(path, { sort }, position);

  return async () => {
    const parts: [string, Parameters<ExportFolder['write']>[1]][] = [
      ['settings', settings],
      ...kinds.map((kind): (typeof parts)[number] => [kind.name, (position) => rowsOfKind(kind, position)]),
      ['images', images],
      ['suppressions', oldestFirst('/v2/contacts/suppressions', 'created_at')],
      ['contacts', allContacts],
      ['members', members],
      ['events', oldestFirst('/v2/leadpulse/events', 'timestamp')],
    ];
    for (const [name, work] of parts) note(`${name}: ${(await files.write(name, work)).count}\n`);
  };
}
