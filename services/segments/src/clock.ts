/** The time that rules and intervals go by; tests set their own. Leases always go by the machine's. */
export type Clock = () => Date;

export const machineClock: Clock = () => new Date();

export const latest = (...moments: readonly Date[]): Date => new Date(Math.max(...moments.map((moment) => moment.getTime())));
