/** How long a deleted contact can be restored. The reference of the API states it. */
export const restorableMs = 30 * 24 * 60 * 60_000;
