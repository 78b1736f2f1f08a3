import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { ApiError, type Import, type MarketingPlatform } from '@marketing-platform/sdk';
import { parse } from 'csv-parse/sync';
import { followImport } from '../import-contacts.ts';
import type { MovedList, Plan, Row } from './plan.ts';
import type { MovedSuppression } from './records.ts';
import type { Counts, OpenState, Step } from './state-file.ts';

/** Rows of one import: a file of a size that uploads in minutes, so that little is repeated after a failed connection. */
const rowsPerImport = 100_000;
export const suppressionsPerRequest = 1_000;
const maxErrors = 1_000;

export const noCounts: Counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
export const plus = (a: Counts, b: Counts): Counts => ({
  ...{ created: a.created + b.created, updated: a.updated + b.updated },
  ...{ unchanged: a.unchanged + b.unchanged, failed: a.failed + b.failed },
});

export async function addSuppressions(
  mp: MarketingPlatform,
  rows: readonly MovedSuppression[],
  note: (error: string) => void,
): Promise<Counts> {
  const suppressions = rows.map(({ kind: _, ...row }) => row);
  const { results, counts } = await mp.contacts.suppressions.batch({ suppressions, start_workflows: false });
  for (const { index, error } of results) if (error) note(`suppression ${rows[index]?.email}: ${error.message}`);
  return { created: counts.created, updated: 0, unchanged: counts.unchanged, failed: counts.error };
}

/** Writes a plan step by step. A step that was done is not repeated; one that was begun continues, or is repeated with the same result. */
export function createWriter(mp: MarketingPlatform, { state, save }: Pick<OpenState, 'state' | 'save'>) {
  const note = (error: string) => {
    if (state.errors.length < maxErrors) state.errors.push(error.slice(0, 500));
  };

  /** The same after a restart. Names of lists are no part of a header. */
  const keyOf = (...parts: (string | number)[]) =>
    `move-in-${createHash('sha256')
      .update(JSON.stringify([state.run, ...parts]))
      .digest('hex')}`;

  async function step(name: string, work: (step: Step) => Promise<Counts>): Promise<void> {
    const known = state.steps[name] ?? { attempt: 0, done: false };
    state.steps[name] = known;
    if (known.done) return;
    known.counts = await work(known);
    known.done = true;
    await save();
  }

  /** Suppressions come first: at no moment can an address that bounced be emailed. */
  const writeSuppressions = (rows: readonly MovedSuppression[]) =>
    step('suppressions', async (its) => {
      let counts = its.counts ?? noCounts;
      for (let start = Number(its.position ?? 0); start < rows.length; start += suppressionsPerRequest) {
        counts = plus(counts, await addSuppressions(mp, rows.slice(start, start + suppressionsPerRequest), note));
        Object.assign(its, { position: String(start + suppressionsPerRequest), counts });
        await save();
      }
      return counts;
    });

  /** An import with a key of its own, so that one that was sent before the process was killed is not sent again. */
  async function importRows(its: Step, key: string, rows: readonly object[], segmentId?: string): Promise<Import> {
    const idempotencyKey = keyOf(key, its.attempt);
    const body = new Blob(rows.map((row) => `${JSON.stringify(row)}\n`));
    const query = {
      ...{ start_workflows: 'false' as const, default_consent: 'pending' as const },
      ...(segmentId !== undefined && { add_to_segment_id: segmentId }),
    };
    const options = { idempotencyKey, timeout: 3_600_000 };
    const begun =
      its.position === undefined
        ? await mp.contacts.imports.create({ body, type: 'application/x-ndjson' }, query, options)
        : await mp.contacts.imports.get(its.position);
    its.position = begun.id;
    await save();
    const ended = await followImport(mp, begun);
    if (ended.status === 'completed') return ended;
    state.steps[key] = { attempt: its.attempt + 1, done: false };
    await save();
    throw new Error(`Import ${ended.id} has ${ended.status}: ${ended.error?.message ?? ''} Start the command again to repeat it.`);
  }

  const countsOf = ({ rows: { created, updated, unchanged, failed } }: Import): Counts => ({ created, updated, unchanged, failed });

  async function failedRows(job: Import): Promise<{ index: number; message: string }[]> {
    const { body } = await mp.contacts.imports.errors(job.id);
    if (!body) return [];
    const table: unknown = parse(await text(body), { columns: true, relax_column_count: true });
    const failed = new Map<number, string>();
    for (const row of Array.isArray(table) ? table : []) failed.set(Number(row.row) - 1, `${row.field} ${row.message}`.trim());
    return [...failed].map(([index, message]) => ({ index, message }));
  }

  /**
   * A row that the platform rejects, because of a phone number or an attribute, comes again with its address, consent and tags alone:
   * nobody's unsubscription gets lost.
   */
  async function writeContacts(name: string, rows: readonly Row[]): Promise<void> {
    const again: Row[] = [];
    await step(name, async (its) => {
      const job = await importRows(its, name, rows);
      return countsOf(job);
    });
    const { position, counts } = state.steps[name] ?? {};
    if (!counts?.failed || position === undefined) return;
    const failed = await failedRows(await mp.contacts.imports.get(position));
    for (const { index } of failed) {
      const row = rows[index];
      if (row) again.push({ email: row.email, ...(row.consent && { consent: row.consent }), ...(row.tags && { tags: row.tags }) });
    }
    await step(`${name} reduced`, async (its) => {
      for (const { index, message } of failed) note(`${rows[index]?.email}: ${message}`);
      if (again.length === 0) return noCounts;
      const job = await importRows(its, `${name} reduced`, again);
      for (const { index, message } of job.rows.failed > 0 ? await failedRows(job) : [])
        note(`${again[index]?.email} was not imported: ${message}`);
      return countsOf(job);
    });
  }

  async function segmentOf({ id, name }: MovedList): Promise<{ id: string; counts: Counts }> {
    for await (const segment of mp.segments.list({ name }))
      if (segment.name === name && segment.kind === 'static') return { id: segment.id, counts: { ...noCounts, unchanged: 1 } };
    const created = await mp.segments.create({ name, kind: 'static' }, { idempotencyKey: keyOf('list', id) });
    return { id: created.id, counts: { ...noCounts, created: 1 } };
  }

  async function writeList(list: MovedList): Promise<void> {
    const name = `list "${list.name}"`;
    await step(name, async (its) => {
      const { id, counts } = await segmentOf(list);
      its.position = id;
      return counts;
    });
    const segmentId = state.steps[name]?.position;
    for (let start = 0; start < list.emails.length; start += rowsPerImport) {
      const members = `members of "${list.name}"${start === 0 ? '' : ` from ${start}`}`;
      const rows = list.emails.slice(start, start + rowsPerImport).map((email) => ({ email }));
      await step(members, async (its) => countsOf(await importRows(its, members, rows, segmentId)));
    }
  }

  const writeTemplates = (templates: Plan['templates']) =>
    step('templates', async (its) => {
      const known = new Set<string>();
      if (templates.length > 0) for await (const { name } of mp.campaigns.templates.list({ limit: 100 })) known.add(name.toLowerCase());
      let counts = its.counts ?? noCounts;
      for (const [index, { name, subject, html }] of templates.entries()) {
        if (index < Number(its.position ?? 0)) continue;
        counts = plus(counts, known.has(name.toLowerCase()) ? { ...noCounts, unchanged: 1 } : await writeTemplate(name, subject, html));
        Object.assign(its, { position: String(index + 1), counts });
        await save();
      }
      return counts;
    });

  async function writeTemplate(name: string, subject: string | undefined, html: string): Promise<Counts> {
    try {
      await mp.campaigns.templates.create({ name, html, ...(subject && { subject: subject.slice(0, 500) }) });
      return { ...noCounts, created: 1 };
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 409, 413].includes(error.status)) throw error;
      if (error.status === 409) return { ...noCounts, unchanged: 1 };
      note(`template "${name}": ${error.message}`);
      return { ...noCounts, failed: 1 };
    }
  }

  return async (plan: Plan): Promise<void> => {
    await writeSuppressions(plan.suppressions);
    for (let start = 0; start < plan.rows.length; start += rowsPerImport)
      await writeContacts(`contacts${start === 0 ? '' : ` from ${start}`}`, plan.rows.slice(start, start + rowsPerImport));
    for (const list of plan.lists) await writeList(list);
    await writeTemplates(plan.templates);
  };
}
