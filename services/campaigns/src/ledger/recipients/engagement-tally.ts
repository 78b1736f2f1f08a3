/** How often one email was engaged with, by people and automatically. */
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
