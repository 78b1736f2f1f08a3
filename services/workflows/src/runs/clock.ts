/** What time it is; tests give one that they move. */
export type Clock = () => Date;
