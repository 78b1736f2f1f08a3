import type { Startable } from './startable-workflows.ts';

/** Which triggers fire, and for how many contacts at most; undefined until that is known. */
export type Counts = Partial<Record<Startable['trigger'], number | undefined>>;

type Started = { runs: number; emails: number } | { runs: undefined; emails: undefined };

/** The most runs that start, and their emails in the first hour. */
export function startedBy(workflows: readonly Startable[], counts: Counts): Started {
  let [runs, emails] = [0, 0];
  for (const { trigger, emailsPerContact } of workflows) {
    const contacts = counts[trigger];
    if (contacts === undefined) return { runs: undefined, emails: undefined };
    runs += contacts;
    emails += contacts * emailsPerContact;
  }
  return { runs, emails };
}
