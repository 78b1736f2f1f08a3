import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { inCity, many, newAccountId, withSegments } from './segments-service.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

/** Contacts per second that a new segment is built from, and that a bare scan with the same projection reads. */
await withSegments(async ({ built, call, fill, profiles }) => {
  const accountId = newAccountId();
  await fill(accountId, many);
  let made = 0;
  const timed = async (work: () => Promise<void>) => {
    const begun = performance.now();
    await work();
    return many / ((performance.now() - begun) / 1_000);
  };
  const figures = await compare(
    'A new segment',
    'contacts/s',
    [
      {
        name: 'bare cursor',
        run: () =>
          timed(async () => {
            let read = 0;
            const rows = profiles.find({ account_id: accountId }, { projection: { contact: 1, revision: 1 } }).sort({ _id: 1 });
            for await (const { contact } of rows.batchSize(2_000)) read += contact ? 1 : 0;
            if (read !== many) throw new Error(`${read} contacts were read`);
          }),
      },
      {
        name: 'new segment',
        run: () =>
          timed(async () => {
            made += 1;
            const { id } = await call(accountId, {
              method: 'POST',
              path: '/v2/segments',
              payload: { name: `New ${made}`, definition: inCity(100 + made) },
            });
            while (await built.runner.serveOne());
            const { status, count } = await call(accountId, { method: 'GET', path: `/v2/segments/${id}` });
            if (status !== 'ready' || count === 0) throw new Error(`the segment is ${status} with ${count} contacts`);
          }),
      },
    ],
    rounds,
  );
  const [scan, build] = ['bare cursor', 'new segment'].map((name) => figures.get(name)?.median ?? Number.NaN);
  const ratio = (build ?? Number.NaN) / (scan ?? Number.NaN);
  await writeResults({
    name: 'segments-backfill',
    title: 'Segments: building a new one',
    how: `${many.toLocaleString('en')} contacts in one account; one process, which also sends and parses; ${rounds} interleaved rounds after a warm-up.`,
    table: comparison('contacts/s', figures),
    aims: [['new segment / bare cursor', '≥ 0.4', ratio.toFixed(2)]],
  });
});
