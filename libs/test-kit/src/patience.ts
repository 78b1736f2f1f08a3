/**
 * How long a test waits for its event. It only ends a test that hangs, since a busy machine may stall for minutes: `npm test` of
 * everything sets almost the limit of the test runner. A single file, whose test may well be red, gives up sooner.
 */
export const patienceMs = Number(process.env.TEST_PATIENCE_MS ?? 90_000);
