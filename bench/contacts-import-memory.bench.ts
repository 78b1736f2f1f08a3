import { machine } from './compare.ts';
import { startContactsProcess } from './contacts-process.ts';

/** By hand with BENCH_ROWS=1000000; by itself with as many as take a moment. */
const rows = Number(process.env.BENCH_ROWS ?? 20_000);

/**
 * The heap that V8 gives itself in a container of 512 MiB, which is the chart's limit. With all of a large machine to
 * itself it collects so late that what is measured is the machine.
 */
const heap = ['--max-old-space-size=256', '--max-semi-space-size=8'];

/** Memory of the service's own process while it takes a file over HTTP, imports it, and tells of every contact. */
const { call, residentBytes, stop } = await startContactsProcess(heap);
try {
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes());
  }, 250);

  const before = residentBytes();
  const file = fileOf(rows);
  const begun = performance.now();
  const { id, bytes } = await call('POST', '/v2/contacts/imports', file, 'text/csv');
  const uploaded = performance.now();
  const mostInUpload = Math.max(most, residentBytes());
  most = 0;
  for (;;) {
    const job = await call('GET', `/v2/contacts/imports/${id}`);
    if (job.status === 'completed' && job.rows.created === rows) break;
    if (job.status !== 'queued' && job.status !== 'running') throw new Error(JSON.stringify(job));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  clearInterval(watch);
  const seconds = (performance.now() - uploaded) / 1_000;
  console.log(
    `\n### Import of ${rows.toLocaleString('en')} rows (${mib(bytes)})\n\n${machine()}; the service in a process of its own, with the heap of a container of 512 MiB.\n\n` +
      '| upload | import | memory before | most in the upload | most in the import |\n|---|---|---|---|---|\n' +
      `| ${((uploaded - begun) / 1_000).toFixed(1)} s | ${Math.round(rows / seconds).toLocaleString('en')} rows/s | ${mib(before)} | ${mib(mostInUpload)} | ${mib(most)} |`,
  );
} finally {
  await stop();
}

function fileOf(count: number): string {
  const lines = ['external_id,email,first_name,last_name,address.city,tags,attributes.plan,attributes.seats:number'];
  for (let index = 0; index < count; index += 1)
    lines.push(
      `crm-${index},person${index}@example${index % 50}.com,First${index % 997},Last${index % 1_009},City ${index % 300},t${index % 20};x,pro,${index % 100}`,
    );
  return lines.join('\n');
}

function mib(bytes: number) {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
