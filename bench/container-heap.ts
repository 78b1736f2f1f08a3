/** The heap that V8 gives itself in a container of 512 MiB, which is the chart's limit, and what the image tells it. */
export const containerHeap = [
  '--max-old-space-size=256',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
];
