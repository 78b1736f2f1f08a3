/** How far something that starts at `from` moves until all of it is between 0 and `end`, with `room` around it if there is any. */
export function shiftInto(from: number, size: number, end: number, room: number): number {
  if (from >= 0 && from + size <= end) return 0;
  const left = Math.max(0, Math.min(room, (end - size) / 2));
  return from < 0 || size > end ? left - from : end - left - size - from;
}
