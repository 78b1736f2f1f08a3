/** The clock for rules, intervals and due times; tests pass one that they control. Leases always use the machine's clock. */
export type Clock = () => Date;

export const machineClock: Clock = () => new Date();

export const latest = (...moments: readonly Date[]): Date => new Date(Math.max(...moments.map((moment) => moment.getTime())));
