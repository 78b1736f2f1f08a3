import type { MarketingPlatform } from '@marketing-platform/sdk';
import type { Output } from '../output.ts';
import { planOf, type Report } from './plan.ts';
import { reportText, type Written, writtenText } from './print-report.ts';
import type { Provider } from './records.ts';
import type { Source } from './source.ts';
import type { Counts, OpenState, State } from './state-file.ts';
import { createWriter } from './write-plan.ts';

type Options = {
  provider: Provider;
  source: Source;
  mp: MarketingPlatform;
  open: OpenState;
  output: Output;
  asJson: boolean;
  dryRun: boolean;
  /** Asks before anything is written. */
  confirm: (question: string) => Promise<boolean>;
};

export type Outcome = { report: Report; written: Written | null };

const writtenOf = ({ steps, errors }: State): Written => ({
  steps: Object.fromEntries(Object.entries(steps).flatMap(([name, { counts }]): [string, Counts][] => (counts ? [[name, counts]] : []))),
  errors,
});

/** How many rows the platform did not take, not even reduced. */
export const failedIn = ({ steps }: Written) =>
  Object.entries(steps).reduce((sum, [name, { failed }]) => sum + (`${name} reduced` in steps ? 0 : failed), 0);

/**
 * Reads everything, prints what would come, asks, and writes it. Every step is recorded: started again after it was killed, it
 * continues and ends with the same result.
 */
export async function runImport({ provider, source, mp, open, output, asJson, dryRun, confirm }: Options): Promise<Outcome> {
  const { state, save } = open;
  if (open.isResumed) output.note(`Continues the import recorded in ${open.path}.\n`);
  if (!state.read.done) {
    let records = 0;
    for await (const batch of provider.read(source, state.read.next)) {
      await open.append(batch);
      records += batch.records.length;
      if (output.isTerminal) output.note(`\rRead from ${provider.title}: ${records}`);
    }
    if (output.isTerminal) output.note('\n');
    state.read.done = true;
    await save();
  }
  const plan = await planOf(provider, open.records());
  const { report } = plan;
  if (!asJson) output.note(`${reportText(report)}\n`);
  const { contacts, lists, templates } = report.comes;
  const question = `Import ${contacts} contacts, ${lists} lists and ${templates} templates? Nothing is sent, and no workflow starts.`;
  if (dryRun || !(state.confirmed || (await confirm(question)))) {
    if (!state.confirmed) await open.remove();
    output.note(dryRun ? 'Dry run: nothing was imported.\n' : 'Nothing was imported.\n');
    return { report, written: null };
  }
  state.confirmed = true;
  await save();
  await createWriter(mp, open)(plan);
  const written = writtenOf(state);
  if (!asJson) output.note(`${writtenText(written)}\n`);
  await open.remove();
  return { report, written };
}
