import { readFile } from 'node:fs/promises';

/** How Node runs in a container of 512 MiB, the limit in the chart: the heap that Node 24 derives from it, and what the image sets. */
const dockerfile = await readFile(new URL('../../deploy/docker/Dockerfile', import.meta.url), 'utf8');
const derived = ['--max-old-space-size=256', '--max-semi-space-size=1'];

export const containerMemory = 512;

export const containerFlags = [...derived, ...(/^ENTRYPOINT .*$/m.exec(dockerfile)?.[0].match(/--[\w=-]+/g) ?? [])];

/** The young generation that the chart and compose.yaml give the gateway and contacts: docs/decisions/0041-heap.md. */
export const youngGeneration = '--max-semi-space-size=8';

export const containerEnv = Object.fromEntries(
  [...dockerfile.matchAll(/(MALLOC_\w+)=(\d+)/g)].map(([, name = '', value = '']) => [name, value]),
);
