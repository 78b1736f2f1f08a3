/** How long events are stored, unless the account's settings say otherwise, and at most. */
export const defaultRetentionDays = 400;
export const maxRetentionDays = 800;
