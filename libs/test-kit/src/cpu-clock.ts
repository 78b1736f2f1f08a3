/** Measures the CPU time of this process in ms, independent of the load of the machine. */
export function startCpuClock(): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
}
