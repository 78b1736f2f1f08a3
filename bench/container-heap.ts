/** The flags for the heap size that V8 chooses in a container of 512 MiB, the limit in the chart, and those of the image. */
export const containerHeap = [
  '--max-old-space-size=256',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
];
