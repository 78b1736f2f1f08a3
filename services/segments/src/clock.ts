/** The clock for rules and intervals; tests set it. Leases always use the machine's clock. */
export type Clock = () => Date;

export const machineClock: Clock = () => new Date();

export const latest = (...moments: readonly Date[]): Date => new Date(Math.max(...moments.map((moment) => moment.getTime())));
