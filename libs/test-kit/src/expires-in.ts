/** Whether a moment is this long after one of this test run, however slow the machine is. */
export function expiresIn(moment: Date | string | number | null | undefined, ms: number): boolean {
  const began = new Date(moment ?? Number.NaN).getTime() - ms;
  return began >= Math.floor(performance.timeOrigin) && began <= Date.now();
}
