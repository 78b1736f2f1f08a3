/** The largest unit on which the days of every time zone start. */
export const quarterMs = 15 * 60 * 1_000;
export const dayMs = 24 * 60 * 60 * 1_000;

export const floorTo = (at: Date, ms: number) => new Date(Math.floor(at.getTime() / ms) * ms);
