import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Import, MarketingPlatform } from '@marketing-platform/sdk';
import { parse } from 'csv-parse/sync';
import { followImport } from '../import-contacts.ts';
import type { Counts, OpenState, Step } from './state-file.ts';

/** Rows of one import: a file of a size that uploads in minutes, so that little is repeated after a failed connection. */
export const rowsPerImport = 100_000;
const maxErrors = 1_000;

export const noCounts: Counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
export const plus = (a: Counts, b: Counts): Counts => ({
  ...{ created: a.created + b.created, updated: a.updated + b.updated },
  ...{ unchanged: a.unchanged + b.unchanged, failed: a.failed + b.failed },
});

export const countsOf = ({ rows: { created, updated, unchanged, failed } }: Import): Counts => ({ created, updated, unchanged, failed });

/** Nothing starts, and a contact without consent is not emailed. */
const quietly = { start_workflows: 'false', default_consent: 'pending' } as const;

type ImportQuery = NonNullable<Parameters<MarketingPlatform['contacts']['imports']['create']>[1]>;

/** Steps of an import. One that was done is not repeated; one that was begun continues, or is repeated with the same result. */
export function createSteps(mp: MarketingPlatform, { state, save }: Pick<OpenState, 'state' | 'save'>) {
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

  /** An import with a key of its own, so that one that was sent before the process was killed is not sent again. */
  async function importRows(its: Step, key: string, rows: readonly object[], query: ImportQuery = {}): Promise<Import> {
    const idempotencyKey = keyOf(key, its.attempt);
    const body = new Blob(rows.map((row) => `${JSON.stringify(row)}\n`));
    const options = { idempotencyKey, timeout: 3_600_000 };
    const begun =
      its.position === undefined
        ? await mp.contacts.imports.create({ body, type: 'application/x-ndjson' }, { ...quietly, ...query }, options)
        : await mp.contacts.imports.get(its.position);
    its.position = begun.id;
    await save();
    const ended = await followImport(mp, begun);
    if (ended.status === 'completed') return ended;
    state.steps[key] = { attempt: its.attempt + 1, done: false };
    await save();
    throw new Error(`Import ${ended.id} has ${ended.status}: ${ended.error?.message ?? ''} Start the command again to repeat it.`);
  }

  async function failedRows(job: Import): Promise<{ index: number; message: string }[]> {
    const { body } = await mp.contacts.imports.errors(job.id);
    if (!body) return [];
    const table: unknown = parse(await text(body), { columns: true, relax_column_count: true });
    const failed = new Map<number, string>();
    for (const row of Array.isArray(table) ? table : []) failed.set(Number(row.row) - 1, `${row.field} ${row.message}`.trim());
    return [...failed].map(([index, message]) => ({ index, message }));
  }

  return { note, keyOf, step, importRows, failedRows };
}

export type Steps = ReturnType<typeof createSteps>;
