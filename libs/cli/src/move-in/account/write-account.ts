import { ApiError, type MarketingPlatform } from '@marketing-platform/sdk';
import type { Counts } from '@mp/move-in/state';
import { countsOf, createSteps, noCounts, plus, rowsPerImport } from '@mp/move-in/steps';
import { writeSuppressions } from '@mp/move-in/write-plan';
import type { Manifest } from '../../move-out/export-folder.ts';
import { rowsOf } from '../../move-out/export-folder.ts';
import { createSdkTarget } from '../sdk-target.ts';
import type { OpenState } from '../state-file.ts';
import { contactRow } from './contact-rows.ts';
import { suppressionsIn } from './plan-account.ts';
import { archivable, inOrder, type Resource, replaced } from './resources.ts';
import { writeAccountEvents } from './write-events.ts';
import { writeImages, writeSettings } from './write-settings.ts';

type Row = Record<string, unknown>;
type Deps = { mp: MarketingPlatform; folder: string; manifest: Manifest; open: Pick<OpenState, 'state' | 'save'> };

const labelOf = ({ kind, id }: Resource) => `${kind.name} ${id}`;
const isStatic = ({ kind, body }: Resource) => kind.name === 'segments' && body.kind === 'static';

/** Writes an export into this account, step by step. Nothing is sent, and nothing starts. */
export function createAccountWriter({ mp, folder, manifest, open: { state, save } }: Deps) {
  const target = createSdkTarget(mp);
  const steps = createSteps(target, { state, save });
  const { step, note, importRows, failedRows } = steps;
  /** IDs and URLs of this account by those of the exported one. */
  const known = new Map<string, string>();
  /** The IDs of the resources that this account already has, by kind and name, in the order of the list. */
  const existing = new Map<string, string[]>();

  const nameOf = (kind: string, name: unknown) => `${kind} ${String(name).toLowerCase()}`;

  /** Resources with the same name are the same; of several with one name, the first is the first. */
  async function readExisting({ name, path, queries }: Resource['kind']) {
    for (const query of queries)
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page: { items: Row[]; pagination: { next_cursor: string | null } } = await mp.request({
          ...{ method: 'GET', path, query: { limit: 100, ...query, ...(cursor !== undefined && { cursor }) } },
        });
        for (const row of page.items) {
          const key = nameOf(name, row.name ?? row.url);
          existing.set(key, [...(existing.get(key) ?? []), String(row.id)]);
        }
        cursor = page.pagination.next_cursor;
      }
  }

  async function writeResource(resource: Resource) {
    const { kind, id, name, body } = resource;
    const label = labelOf(resource);
    const [found] = existing.get(nameOf(kind.name, name))?.splice(0, 1) ?? [];
    await step(label, async (its, key) => {
      if (found !== undefined) {
        its.position = found;
        return { ...noCounts, unchanged: 1 };
      }
      try {
        const created = await mp.request<Row>(
          { method: 'POST', path: kind.path, body: replaced(body, known), isWrite: true },
          { idempotencyKey: key },
        );
        its.position = String(created.id);
        return { ...noCounts, created: 1 };
      } catch (error) {
        if (!(error instanceof ApiError) || ![400, 403, 409, 413].includes(error.status)) throw error;
        note(`${kind.name} "${name}": ${error.message}`);
        return { ...noCounts, failed: 1 };
      }
    });
    const here = state.steps[label]?.position;
    if (here !== undefined) known.set(id, here);
  }

  /** After its members: nobody enters an archived segment. One that was here before stays as it is. */
  async function archive(resource: Resource) {
    const { counts, position } = state.steps[labelOf(resource)] ?? {};
    if (!resource.isArchived || !archivable.has(resource.kind.name) || !counts?.created || position === undefined) return;
    await step(`archived ${labelOf(resource)}`, async (_, key) => {
      await mp.request({ method: 'POST', path: `${resource.kind.path}/${position}/archive`, isWrite: true }, { idempotencyKey: key });
      return noCounts;
    });
  }

  async function writeContacts() {
    let from = 0;
    let rows: Row[] = [];
    const flush = async () => {
      const name = `contacts${from === 0 ? '' : ` from ${from}`}`;
      const chunk = rows;
      await step(name, async (its, key) => countsOf(await importRows(its, key, chunk, { match_on: 'any' })));
      const { counts, position } = state.steps[name] ?? {};
      if (counts?.failed && position !== undefined)
        await step(`${name} with errors`, async () => {
          const failed = await failedRows({ id: position });
          for (const { index, message } of failed) note(`${chunk[index]?.email ?? `contact ${from + index + 1}`}: ${message}`);
          return noCounts;
        });
      [from, rows] = [from + rows.length, []];
    };
    for await (const row of rowsOf(folder, 'contacts', manifest)) {
      rows.push(replaced(contactRow(row), known));
      if (rows.length === rowsPerImport) await flush();
    }
    if (rows.length > 0) await flush();
  }

  /** Members of an archived segment are those that it had; one that was archived here before takes no others. */
  async function writeMembers(closed: ReadonlySet<string>) {
    const bySegment = new Map<string, Row[]>();
    for await (const { segment_id, ...row } of rowsOf(folder, 'members', manifest)) {
      const own = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
      const rows = bySegment.get(String(segment_id));
      if (rows) rows.push(own);
      else bySegment.set(String(segment_id), [own]);
    }
    for (const [id, rows] of bySegment) {
      const segment = known.get(id);
      if (segment === undefined || closed.has(id)) continue;
      for (let start = 0; start < rows.length; start += rowsPerImport) {
        const name = `members ${id}${start === 0 ? '' : ` from ${start}`}`;
        const chunk = rows.slice(start, start + rowsPerImport);
        await step(name, async (its, key) => countsOf(await importRows(its, key, chunk, { match_on: 'any', add_to_segment_id: segment })));
      }
    }
  }

  return async (resources: readonly Resource[]): Promise<void> => {
    const { rows } = await suppressionsIn(folder, manifest);
    await writeSuppressions({ target, steps, save }, rows);
    await writeSettings({ mp, folder, manifest, steps });
    await writeImages({ mp, folder, manifest, steps, state, known });
    for (const kind of new Set(resources.map((resource) => resource.kind))) await readExisting(kind);
    const ordered = inOrder(resources);
    // Contacts refer to forms, in the evidence of their consent; rules of segments need the types of attributes, which come with contacts.
    const early = ordered.filter((resource) => isStatic(resource) || ['coupons', 'templates', 'forms'].includes(resource.kind.name));
    for (const resource of early) await writeResource(resource);
    await writeContacts();
    const isClosed = (resource: Resource) => resource.isArchived && !state.steps[labelOf(resource)]?.counts?.created;
    await writeMembers(new Set(early.filter(isClosed).map(({ id }) => id)));
    for (const resource of ordered) if (!early.includes(resource)) await writeResource(resource);
    for (const resource of ordered) await archive(resource);
    await writeAccountEvents({ mp, folder, manifest, steps, save });
  };
}

/** The counts of the steps, one of each kind rather than one of each resource. */
export function countsByKind(steps: OpenState['state']['steps']): Record<string, Counts> {
  const sums: Record<string, Counts> = {};
  for (const [name, { counts }] of Object.entries(steps)) {
    const [kind = name] = name.split(' ');
    if (counts) sums[kind] = plus(sums[kind] ?? noCounts, counts);
  }
  return sums;
}
