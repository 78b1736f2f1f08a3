import { ApiError, type MarketingPlatform } from '@marketing-platform/sdk';
import type { MovedList, Plan, Row } from './plan.ts';
import type { MovedSuppression } from './records.ts';
import type { Counts, OpenState } from './state-file.ts';
import { countsOf, createSteps, noCounts, plus, rowsPerImport, type Steps } from './steps.ts';

export const suppressionsPerRequest = 1_000;

type NewSuppression = Omit<MovedSuppression, 'kind' | 'email'> & { email?: string; domain?: string };

export async function addSuppressions(
  mp: MarketingPlatform,
  suppressions: NewSuppression[],
  note: (error: string) => void,
): Promise<Counts> {
  const { results, counts } = await mp.contacts.suppressions.batch({ suppressions, start_workflows: false });
  for (const { index, error } of results)
    if (error) note(`suppression ${suppressions[index]?.email ?? suppressions[index]?.domain}: ${error.message}`);
  return { created: counts.created, updated: 0, unchanged: counts.unchanged, failed: counts.error };
}

/** Suppressions come first: at no moment can an address that bounced be emailed. */
export const writeSuppressions = (mp: MarketingPlatform, { step, note }: Steps, save: OpenState['save'], rows: NewSuppression[]) =>
  step('suppressions', async (its) => {
    let counts = its.counts ?? noCounts;
    for (let start = Number(its.position ?? 0); start < rows.length; start += suppressionsPerRequest) {
      counts = plus(counts, await addSuppressions(mp, rows.slice(start, start + suppressionsPerRequest), note));
      Object.assign(its, { position: String(start + suppressionsPerRequest), counts });
      await save();
    }
    return counts;
  });

/** Writes a plan step by step. */
export function createWriter(mp: MarketingPlatform, { state, save }: Pick<OpenState, 'state' | 'save'>) {
  const steps = createSteps(mp, { state, save });
  const { note, keyOf, step, importRows, failedRows } = steps;

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
      await step(members, async (its) =>
        countsOf(await importRows(its, members, rows, segmentId === undefined ? {} : { add_to_segment_id: segmentId })),
      );
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
    await writeSuppressions(
      mp,
      steps,
      save,
      plan.suppressions.map(({ kind: _, ...row }) => row),
    );
    for (let start = 0; start < plan.rows.length; start += rowsPerImport)
      await writeContacts(`contacts${start === 0 ? '' : ` from ${start}`}`, plan.rows.slice(start, start + rowsPerImport));
    for (const list of plan.lists) await writeList(list);
    await writeTemplates(plan.templates);
  };
}
