/** How long events are stored, unless the account's settings say otherwise, and at most. */
export const keptDays = 400;
export const maxKeptDays = 800;
