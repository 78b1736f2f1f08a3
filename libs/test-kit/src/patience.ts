/**
 * How long a test waits for its event. It only ends a test that hangs, since a busy machine may stall for minutes: `npm test` of
 * everything sets almost the limit of the test runner. A single file, whose test may well be red, gives up sooner. Whoever records the
 * examples or measures waits as long as it takes.
 */
export const patienceMs = Number(process.env.TEST_PATIENCE_MS ?? (process.env.NODE_TEST_CONTEXT === undefined ? 86_400_000 : 90_000));
