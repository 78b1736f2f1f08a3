/** Takes this long without CPU time, as a task on a machine that is busy with others. */
export default function waiting(ms: number): 'done' {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return 'done';
}
