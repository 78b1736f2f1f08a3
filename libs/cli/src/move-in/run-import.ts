import type { MarketingPlatform } from '@marketing-platform/sdk';
import { planOf, type Report } from '@mp/move-in/plan';
import type { Batch, Provider } from '@mp/move-in/records';
import type { Counts } from '@mp/move-in/state';
import { createSteps } from '@mp/move-in/steps';
import { createEventWriter, eventsIn } from '@mp/move-in/write-events';
import { createWriter } from '@mp/move-in/write-plan';
import type { Manifest } from '../move-out/export-folder.ts';
import type { Output } from '../output.ts';
import { planAccount } from './account/plan-account.ts';
import { countsByKind, createAccountWriter } from './account/write-account.ts';
import { reportText, type Written, writtenText } from './print-report.ts';
import { createSdkTarget, trackWith } from './sdk-target.ts';
import type { OpenState, State } from './state-file.ts';

/** Something to import: what it says would come, what to ask, and how it is written. */
type Prepared = { report: Report; question: string; write: () => Promise<void>; written: (state: State) => Written };

type Options = {
  open: OpenState;
  output: Output;
  asJson: boolean;
  dryRun: boolean;
  /** Reads what is not read yet, and plans. */
  prepare: () => Promise<Prepared>;
  /** Asks before anything is written. */
  confirm: (question: string) => Promise<boolean>;
};

export type Outcome = { report: Report; written: Written | null };

const nothingStarts = 'Nothing is sent, and no workflow starts.';

/** How many rows the platform did not take, not even reduced. */
export const failedIn = ({ steps }: Written) =>
  Object.entries(steps).reduce((sum, [name, { failed }]) => sum + (`${name} reduced` in steps ? 0 : failed), 0);

type System = {
  system: Pick<Provider, 'title' | 'staysBehind'>;
  read: (after: string | null) => AsyncIterable<Batch>;
  mp: MarketingPlatform;
};

/** From another system: everything is read into a file before anything is written. */
export const prepareSystem =
  ({ system, read, mp }: System, open: OpenState, output: Output) =>
  async (): Promise<Prepared> => {
    const { state, save } = open;
    if (!state.read.done) {
      let records = 0;
      for await (const batch of read(state.read.next)) {
        await open.append(batch);
        records += batch.records.length;
        if (output.isTerminal) output.note(`\rRead from ${system.title}: ${records}`);
      }
      if (output.isTerminal) output.note('\n');
      state.read.done = true;
      await save();
    }
    const plan = await planOf(system, open.records());
    const { contacts, lists, templates, events } = plan.report.comes;
    const target = createSdkTarget(mp);
    return {
      report: plan.report,
      question: `Import ${contacts} contacts, ${lists} lists, ${templates} templates and ${events} events? ${nothingStarts}`,
      async write() {
        await createWriter(target, open)(plan);
        // Last, so that each finds its contact.
        if (events)
          await createEventWriter({ track: trackWith(mp), steps: createSteps(target, open), save })(eventsIn(open.records()), (one) => one);
      },
      written: ({ steps, errors }) => ({
        steps: Object.fromEntries(
          Object.entries(steps).flatMap(([name, { counts }]): [string, Counts][] => (counts ? [[name, counts]] : [])),
        ),
        errors,
      }),
    };
  };

type Exported = { folder: string; manifest: Manifest; mp: MarketingPlatform };

/** From another account of the platform: its files are the plan. */
export const prepareExport =
  ({ folder, manifest, mp }: Exported, open: OpenState) =>
  async (): Promise<Prepared> => {
    const { resources, report } = await planAccount(folder, manifest);
    return {
      report,
      question: `Import ${report.comes.contacts} contacts and ${resources.length} resources of ${manifest.account.name}? ${nothingStarts}`,
      write: () => createAccountWriter({ mp, folder, manifest, open })(resources),
      written: ({ steps, errors }) => ({ steps: countsByKind(steps), errors }),
    };
  };

/**
 * Prints what would come, asks, and writes it. Every step is recorded: started again after it was killed, it resumes and ends with
 * the same result.
 */
export async function runImport({ open, output, asJson, dryRun, prepare, confirm }: Options): Promise<Outcome> {
  const { state, save } = open;
  if (open.isResumed) output.note(`Resumes the import recorded in ${open.path}.\n`);
  if (open.expired) output.note(`The import of ${open.expired} was interrupted for too long to resume: this one begins anew.\n`);
  const { report, question, write, written } = await prepare();
  if (!asJson) output.note(`${reportText(report)}\n`);
  if (dryRun || !(state.confirmed || (await confirm(question)))) {
    if (!state.confirmed) await open.remove();
    output.note(dryRun ? 'Dry run: nothing was imported.\n' : 'Nothing was imported.\n');
    return { report, written: null };
  }
  state.confirmed = true;
  await save();
  await write();
  const outcome = written(state);
  if (!asJson) output.note(`${writtenText(outcome)}\n`);
  await open.remove();
  return { report, written: outcome };
}
