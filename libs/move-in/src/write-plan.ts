import type { MovedList, Plan, Row, RowGroup } from './plan.ts';
import type { Counts, Progress } from './state.ts';
import { countsOf, createSteps, noCounts, plus, rowsPerImport, type Steps } from './steps.ts';
import type { ImportQuery, NewSuppression, Target } from './target.ts';

export const suppressionsPerRequest = 1_000;

export async function addSuppressions(
  target: Pick<Target, 'suppress'>,
  suppressions: readonly NewSuppression[],
  note: (error: string) => void,
): Promise<Counts> {
  const { results, counts } = await target.suppress(suppressions);
  for (const { index, error } of results)
    if (error) note(`suppression ${suppressions[index]?.email ?? suppressions[index]?.domain}: ${error.message}`);
  return { created: counts.created, updated: 0, unchanged: counts.unchanged, failed: counts.error };
}

type Suppressing = { target: Pick<Target, 'suppress'>; steps: Steps; save: Progress['save'] };

/** Suppressions come first: at no moment can an address that bounced be emailed. */
export const writeSuppressions = ({ target, steps: { step, note }, save }: Suppressing, rows: readonly NewSuppression[]) =>
  step('suppressions', async (its) => {
    let counts = its.counts ?? noCounts;
    for (let start = Number(its.position ?? 0); start < rows.length; start += suppressionsPerRequest) {
      counts = plus(counts, await addSuppressions(target, rows.slice(start, start + suppressionsPerRequest), note));
      Object.assign(its, { position: String(start + suppressionsPerRequest), counts });
      await save();
    }
    return counts;
  });

/** Writes a plan step by step. */
export function createWriter(target: Target, { state, save }: Progress) {
  const steps = createSteps(target, { state, save });
  const { note, step, importRows, failedRows } = steps;

  /**
   * A row that the platform rejects, because of a phone number or an attribute, comes again with its address, consent and tags alone:
   * nobody's unsubscription gets lost.
   */
  async function writeContacts(name: string, rows: readonly Row[], query: Partial<ImportQuery>): Promise<void> {
    const again: Row[] = [];
    await step(name, async (its, key) => countsOf(await importRows(its, key, rows, query)));
    const { position, counts } = state.steps[name] ?? {};
    if (!counts?.failed || position === undefined) return;
    const failed = await failedRows({ id: position });
    for (const { index } of failed) {
      const row = rows[index];
      if (row) again.push({ email: row.email, ...(row.consent && { consent: row.consent }), ...(row.tags && { tags: row.tags }) });
    }
    await step(`${name} reduced`, async (its, key) => {
      for (const { index, message } of failed) note(`${rows[index]?.email}: ${message}`);
      if (again.length === 0) return noCounts;
      const job = await importRows(its, key, again, query);
      for (const { index, message } of job.rows.failed > 0 ? await failedRows(job) : [])
        note(`${again[index]?.email} was not imported: ${message}`);
      return countsOf(job);
    });
  }

  async function segmentOf(name: string, key: string): Promise<{ id: string; counts: Counts }> {
    const found = await target.findStaticSegment(name);
    if (found !== undefined) return { id: found, counts: { ...noCounts, unchanged: 1 } };
    return { id: await target.createStaticSegment(name, key), counts: { ...noCounts, created: 1 } };
  }

  const listStep = ({ name }: MovedList) => `list "${name}"`;

  const writeList = (list: MovedList) =>
    step(listStep(list), async (its, key) => {
      const { id, counts } = await segmentOf(list.name, key);
      its.position = id;
      return counts;
    });

  const into = (list: MovedList | null): Partial<ImportQuery> => {
    const segmentId = list ? state.steps[listStep(list)]?.position : undefined;
    return segmentId === undefined ? {} : { add_to_segment_id: segmentId };
  };

  async function writeGroup({ list, rows }: RowGroup): Promise<void> {
    const name = list ? `contacts of "${list.name}"` : 'contacts';
    for (let start = 0; start < rows.length; start += rowsPerImport)
      await writeContacts(`${name}${start === 0 ? '' : ` from ${start}`}`, rows.slice(start, start + rowsPerImport), into(list));
  }

  /** Those that have not entered the list as they were written. */
  async function writeMembers(list: MovedList, groups: readonly RowGroup[]): Promise<void> {
    const entered = new Set(groups.find((group) => group.list === list)?.rows.map(({ email }) => email));
    const others = list.emails.filter((email) => !entered.has(email));
    for (let start = 0; start < others.length; start += rowsPerImport) {
      const name = `members of "${list.name}"${start === 0 ? '' : ` from ${start}`}`;
      const rows = others.slice(start, start + rowsPerImport).map((email) => ({ email }));
      await step(name, async (its, key) => countsOf(await importRows(its, key, rows, into(list))));
    }
  }

  const writeTemplates = (templates: Plan['templates']) =>
    step('templates', async (its) => {
      const names = templates.length > 0 ? await target.templateNames() : [];
      const known = new Set(names.map((name) => name.toLowerCase()));
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
    const rejected = await target.createTemplate({ name, html, ...(subject && { subject: subject.slice(0, 500) }) });
    if (rejected === undefined) return { ...noCounts, created: 1 };
    note(`template "${name}": ${rejected}`);
    return { ...noCounts, failed: 1 };
  }

  return async (plan: Plan): Promise<void> => {
    await writeSuppressions(
      { target, steps, save },
      plan.suppressions.map(({ kind: _, ...row }) => row),
    );
    for (const list of plan.lists) await writeList(list);
    for (const group of plan.groups) await writeGroup(group);
    for (const list of plan.lists) await writeMembers(list, plan.groups);
    await writeTemplates(plan.templates);
  };
}
