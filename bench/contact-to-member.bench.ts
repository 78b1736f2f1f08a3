import { machine, quantile } from './compare.ts';
import { withPlatform } from './platform.ts';

/**
 * The time from the response of POST /v2/contacts until the membership of the contact is visible, one contact at a time,
 * measured by polling the API: the result includes at most one extra request.
 */
await withPlatform(async (platform) => {
  const client = await platform.client('--permission', 'read_write', '--account', 'bench');
  const { data: segment } = await client.post('/v2/segments', {
    name: 'Berlin',
    definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] },
  });
  while ((await client.get(`/v2/segments/${segment.id}`)).data.status !== 'ready');
  const delays: number[] = [];
  for (let index = 0; index < 220; index += 1) {
    const created = await client.post('/v2/contacts', { email: `b${index}@example.com`, address: { city: 'Berlin' } });
    if (created.status !== 201) throw new Error(`POST returned ${created.status}`);
    const begun = performance.now();
    while ((await client.get(`/v2/segments/${segment.id}/contacts/${created.data.id}`)).data?.member !== true);
    if (index >= 20) delays.push(performance.now() - begun);
  }
  delays.sort((a, b) => a - b);
  console.log(
    `\n### POST /v2/contacts → member visible\n\n${machine()}; ${delays.length} contacts after 20 for warm-up.\n\n| p50 | p99 | max |\n|---|---|---|\n| ${[0.5, 0.99, 1].map((q) => `${quantile(delays, q).toFixed(1)} ms`).join(' | ')} |`,
  );
});
