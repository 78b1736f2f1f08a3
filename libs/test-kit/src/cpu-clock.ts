/** Measures the CPU time of this process in ms, independent of the load of the machine. */
export function startCpuClock(): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
}

/**
 * Watches the event loop of this thread. Returns a function that stops and gives the longest time in ms for which one turn computed:
 * its CPU time, independent of the load of the machine.
 */
export function watchTurns(): () => number {
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return longest;
  };
}
