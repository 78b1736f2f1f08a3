import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { contactOf, inCity, many, newAccount, withSegments } from './segments-service.ts';

const few = Math.min(10_000, many / 2);
const segments = 100;
const changes = 300;

/** One contact's change until its membership is readable, among few contacts and among many, and a full recomputation of the same. */
await withSegments(async ({ parts, built, call, fill, segmentsOf }) => {
  const accounts = await Promise.all(
    [few, many].map(async (count) => {
      const accountId = newAccount();
      const ids = await segmentsOf(accountId, segments);
      await fill(accountId, count);
      return { accountId, ids, count, delays: [] as number[] };
    }),
  );
  const origin = { correlationId: 'bench', causationId: null };
  for (let round = 0; round < changes + 20; round += 1) {
    for (const { accountId, ids, delays } of accounts) {
      const city = round % segments;
      const contact = contactOf(round, city);
      const begun = performance.now();
      await parts.mongo.transaction(origin, (tx) => built.contacts.apply(tx, accountId, contact));
      const { member } = await call(accountId, { method: 'GET', path: `/v2/segments/${ids[city]}/contacts/${contact.id}` });
      if (member !== true) throw new Error('the membership is not readable');
      if (round >= 20) delays.push(performance.now() - begun);
    }
  }
  const { accountId } = accounts[1] ?? { accountId: newAccount() };
  const begun = performance.now();
  await call(accountId, { method: 'POST', path: '/v2/segments', payload: { name: 'Recomputed', definition: inCity(500) } });
  while (await built.runner.serveOne());
  const recomputed = performance.now() - begun;
  const [small = [], large = []] = accounts.map(({ delays }) => delays.toSorted((a, b) => a - b));
  const [p50, most] = [quantile(small, 0.5), quantile(large, 0.5)];
  await writeResults({
    name: 'segments-change',
    title: 'Segments: one change',
    how: `accounts with ${few.toLocaleString('en')} and ${many.toLocaleString('en')} contacts and ${segments} segments each; ${changes} changes of each in turn after a warm-up; milliseconds in the service from the change of a contact to its membership as read through the API. The recomputation evaluates one segment for every contact again.`,
    table: [
      '| contacts | p50 | p99 |',
      '|---|---|---|',
      ...accounts.map(({ count }, index) => {
        const sorted = [small, large][index] ?? [];
        return `| ${count.toLocaleString('en')} | ${quantile(sorted, 0.5).toFixed(1)} | ${quantile(sorted, 0.99).toFixed(1)} |`;
      }),
      `| ${many.toLocaleString('en')}, recomputing one segment | ${Math.round(recomputed).toLocaleString('en')} | |`,
    ].join('\n'),
    aims: [
      [`p50 with ${many.toLocaleString('en')} contacts / with ${few.toLocaleString('en')}`, '≤ 1.3', (most / p50).toFixed(2)],
      ['recomputation / p50 of a change', '≥ 100', Math.round(recomputed / most).toLocaleString('en')],
    ],
  });
});
