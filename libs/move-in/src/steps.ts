import type { Import } from '@marketing-platform/sdk';
import Papa from 'papaparse';
import type { Counts, Progress, Step } from './state.ts';
import type { ImportQuery, Target } from './target.ts';

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

/** Also where the page is not in a secure context, which has no randomUUID. */
const randomKey = () =>
  `move-in-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

/** Steps of an import. One that was done is not repeated; one that was begun resumes, or is repeated with the same result. */
export function createSteps(
  target: Pick<Target, 'createImport' | 'getImport' | 'followImport' | 'importErrors'>,
  { state, save }: Progress,
) {
  const note = (error: string) => {
    if (state.errors.length < maxErrors) state.errors.push(error.slice(0, 500));
  };

  /** `key` is recorded before anything is sent with it. */
  async function step(name: string, work: (step: Step, key: string) => Promise<Counts>): Promise<void> {
    const known = state.steps[name] ?? { attempt: 0, done: false };
    state.steps[name] = known;
    if (known.done) return;
    known.key ??= randomKey();
    await save();
    known.counts = await work(known, known.key);
    known.done = true;
    await save();
  }

  /** An import with a key of its own, so that one that was sent before the process was killed is not sent again. */
  async function importRows(its: Step, key: string, rows: readonly object[], query: Partial<ImportQuery> = {}): Promise<Import> {
    const begun =
      its.position === undefined
        ? await target.createImport(
            new Blob(rows.map((row) => `${JSON.stringify(row)}\n`)),
            { ...quietly, ...query },
            `${key}-${its.attempt}`,
          )
        : await target.getImport(its.position);
    its.position = begun.id;
    await save();
    const ended = await target.followImport(begun);
    if (ended.status === 'completed') return ended;
    its.attempt += 1;
    delete its.position;
    await save();
    throw new Error(`Import ${ended.id} has ${ended.status}: ${ended.error?.message ?? ''} Start again to repeat it.`);
  }

  async function failedRows({ id }: Pick<Import, 'id'>): Promise<{ index: number; message: string }[]> {
    const { data } = Papa.parse<Record<string, string>>(await target.importErrors(id), { header: true, skipEmptyLines: true });
    const failed = new Map<number, string>();
    for (const row of data) failed.set(Number(row.row) - 1, `${row.field} ${row.message}`.trim());
    return [...failed].map(([index, message]) => ({ index, message }));
  }

  return { note, step, importRows, failedRows };
}

export type Steps = ReturnType<typeof createSteps>;
