/** How often one email was engaged with, by people and by machines. */
export type Tally = {
  opened: { human: number; machine: number };
  clicked: { human: number; machine: number };
  unsubscribed: number;
};

/** The stored form: a kind of engagement that has not happened is missing. */
export type StoredTally = {
  opened?: { human?: number; machine?: number };
  clicked?: { human?: number; machine?: number };
  unsubscribed?: number;
};

export const tallyOf = (stored: StoredTally = {}): Tally => ({
  opened: { ...noTally.opened, ...stored.opened },
  clicked: { ...noTally.clicked, ...stored.clicked },
  unsubscribed: stored.unsubscribed ?? 0,
});

/** Whether there was any engagement, which proves delivery. */
export const hasEngaged = (stored: StoredTally | undefined): boolean =>
  Object.values(contribution(tallyOf(stored))).some((count) => count > 0);

export const noTally: Tally = { opened: { human: 0, machine: 0 }, clicked: { human: 0, machine: 0 }, unsubscribed: 0 };

/** What one recipient adds to the counters of a campaign: totals, and at most one per kind to the unique counts. */
export const contribution = ({ opened, clicked, unsubscribed }: Tally) => ({
  opened_human: opened.human,
  opened_machine: opened.machine,
  opened_human_unique: Math.sign(opened.human),
  opened_machine_unique: Math.sign(opened.machine),
  clicked_human: clicked.human,
  clicked_machine: clicked.machine,
  clicked_human_unique: Math.sign(clicked.human),
  clicked_machine_unique: Math.sign(clicked.machine),
  unsubscribed: Math.sign(unsubscribed),
});

export type Counters = ReturnType<typeof contribution>;

export const noCounters: Counters = contribution(noTally);

/** The change of the counters when a recipient's tally changes. */
export function difference(before: Tally, after: Tally): Counters {
  const [was, is] = [contribution(before), contribution(after)];
  return addCounters(is, was, -1);
}

export const addCounters = (a: Counters, b: Counters, sign = 1): Counters => ({
  opened_human: a.opened_human + sign * b.opened_human,
  opened_machine: a.opened_machine + sign * b.opened_machine,
  opened_human_unique: a.opened_human_unique + sign * b.opened_human_unique,
  opened_machine_unique: a.opened_machine_unique + sign * b.opened_machine_unique,
  clicked_human: a.clicked_human + sign * b.clicked_human,
  clicked_machine: a.clicked_machine + sign * b.clicked_machine,
  clicked_human_unique: a.clicked_human_unique + sign * b.clicked_human_unique,
  clicked_machine_unique: a.clicked_machine_unique + sign * b.clicked_machine_unique,
  unsubscribed: a.unsubscribed + sign * b.unsubscribed,
});
