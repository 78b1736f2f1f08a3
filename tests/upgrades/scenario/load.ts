import { setTimeout as sleep } from 'node:timers/promises';
import { emailOf } from './contacts.ts';
import { from, type World } from './world.ts';

type Written = { acknowledged: Record<string, unknown>[]; unanswered: Record<string, unknown>[] };

/** Clients that write until the platform dies; each write is noted as acknowledged or unanswered. */
export function startLoad({ client, manifest }: World) {
  let over = false;
  const written: Record<string, Written> = {};
  async function repeat(
    name: string,
    write: (index: number) => Promise<{ is: Record<string, unknown>; response: ReturnType<typeof client.get> }>,
  ) {
    const noted: Written = { acknowledged: [], unanswered: [] };
    written[name] = noted;
    for (let index = 0; !over; index += 1) {
      const { is, response: pending } = await write(index);
      const got = await pending.catch(() => undefined);
      if (got !== undefined && got.status < 300) noted.acknowledged.push({ ...is, ...(got.data?.id !== undefined && { id: got.data.id }) });
      else if (got !== undefined && got.status < 500 && got.status !== 429) throw new Error(`${name}: ${got.status} ${got.text}`);
      else {
        noted.unanswered.push(is);
        await sleep(50);
      }
    }
  }
  const { ids } = manifest.contacts;
  const loops = [
    repeat('contacts', async (index) => {
      const is = {
        email: `load${index}@load.example`,
        address: { city: index % 2 === 0 ? 'Berlin' : 'Paris' },
        attributes: { seats: index },
      };
      return { is, response: client.put('/v2/contacts?match_on=email', is) };
    }),
    repeat('orders', async (index) => {
      const is = { event: 'ordered', message_id: `order-${index}`, visitor_id: `visitor-${index % 50}`, email: emailOf(index % 50) };
      return { is, response: client.post('/v2/leadpulse/track', is) };
    }),
    repeat('changes', async (index) => {
      const is = { contact: ids[20 + (index % 10)], score: index };
      return { is, response: client.put(`/v2/contacts/${is.contact}`, { attributes: { load: index } }) };
    }),
    repeat('messages', async (index) => {
      const is = { subject: `Message ${index}`, to: emailOf(index % 40) };
      const body = { from, to: { email: is.to }, content: { subject: is.subject, html: '<p>Your order</p>' }, category: 'transactional' };
      await sleep(100);
      return { is, response: client.post('/v2/campaigns/messages', body, { 'idempotency-key': `message-${index}` }) };
    }),
  ];
  return {
    written,
    async end() {
      over = true;
      await Promise.all(loops);
    },
  };
}

/** Jobs, an erasure and campaigns that are under way when the platform dies. */
export async function startJobs({ client, manifest }: World) {
  const must = async (pending: ReturnType<typeof client.get>) => {
    const { status, data, text } = await pending;
    if (status >= 300) throw new Error(`${status} ${text}`);
    return data;
  };
  const ids = manifest.contacts.ids;
  const erasure = await must(client.post(`/v2/contacts/${ids[115]}/erase`));
  const merge = await must(client.post(`/v2/contacts/${ids[116]}/merge`, { source_id: ids[117] }));
  const bulk = await must(client.post('/v2/contacts/bulk', { select: { filter: { tag: 'people' } }, action: 'add_tag', tag: 'bulk' }));
  const report = await must(
    client.post('/v2/leadpulse/retention', {
      first: { page: '/pricing' },
      returning: { event: 'ordered' },
      interval: 'day',
      background: true,
    }),
  );
  manifest.jobs = {
    erasing: { contact: ids[115], id: erasure.id },
    merging: { survivor: ids[116], source: ids[117], merge: merge.merge_id },
    bulk: bulk.id,
    report: report.id,
  };
}

export const importedRows = 1_500;

export async function startImport({ client, manifest }: World) {
  const rows = Array.from({ length: importedRows }, (_, index) => `row${index}@import.example,${index},imported`);
  const mapping = encodeURIComponent(JSON.stringify({ row: 'attributes.row:number' }));
  const { status, data, text } = await client.call(
    'POST',
    `/v2/contacts/imports?match_on=email&mapping=${mapping}`,
    `email,row,tags\n${rows.join('\n')}\n`,
    {
      'content-type': 'text/csv',
    },
  );
  if (status >= 300) throw new Error(`import: ${text}`);
  manifest.jobs.import = data.id;
  return data.id as string;
}
