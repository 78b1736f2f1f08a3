/** Says whether this thread has computed for longer than that since. What else the machine does counts for nothing. */
export function computingTimer(maxMs: number): () => boolean {
  const began = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(began);
    return user + system > maxMs * 1_000;
  };
}
