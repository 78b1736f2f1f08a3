/** Returns a function that says whether this thread has used more than `maxMs` of CPU time since. Independent of the machine's load. */
export function computingTimer(maxMs: number): () => boolean {
  const began = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(began);
    return user + system > maxMs * 1_000;
  };
}
