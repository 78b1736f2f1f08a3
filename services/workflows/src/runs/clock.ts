/** The current time; tests pass a clock that they control. */
export type Clock = () => Date;
