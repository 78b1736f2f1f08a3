import { containerFlags, youngGeneration } from '../tests/deploy/container-node.ts';

/** The flags of the gateway and of contacts in the chart: those of the image, and the young generation that the chart gives these two. */
export const containerHeap = [...containerFlags, youngGeneration];
