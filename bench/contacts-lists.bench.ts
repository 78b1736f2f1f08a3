import { createLoadContext } from '../services/contacts/src/contacts/account-context.ts';
import { newContact } from '../services/contacts/src/contacts/contact.ts';
import { CreateContactBody } from '../services/contacts/src/contacts/contact-body.ts';
import { documentOf } from '../services/contacts/src/contacts/contact-document.ts';
import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { row, withContacts } from './contacts-service.ts';

/** BENCH_CONTACTS=20000 for a short run. */
const many = Number(process.env.BENCH_CONTACTS ?? 1_000_000);
const few = Math.min(10_000, many / 2);
const [rounds, pages] = [40, 15];

const queries = ['limit=50', 'tag=imported&limit=50', 'attributes.plan=pro&limit=50', 'sort=updated_at&limit=50', 'q=person1&limit=50'];

/** The same pages, first and following, of an account with few contacts and one with many. */
await withContacts(async ({ parts, stores, call, newAccountId }) => {
  const collection = parts.mongo.db.collection<{ _id: string }>('contacts');
  async function fill(count: number) {
    const accountId = newAccountId();
    const context = await createLoadContext(stores)(accountId, [row(0)]);
    const start = Date.now() - count;
    for (let from = 0; from < count; from += 2_000) {
      const documents = Array.from({ length: Math.min(2_000, count - from) }, (_, index) =>
        documentOf(accountId, newContact(CreateContactBody.parse(row(from + index)), context, { now: new Date(start + from + index) })),
      );
      await collection.insertMany(documents, { ordered: false });
    }
    return accountId;
  }
  const accounts = [await fill(few), await fill(many)] as const;
  const lines: string[] = [];
  const ratios: number[] = [];
  for (const query of queries) {
    const cells: string[] = [];
    const p99s: number[] = [];
    const delays: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round += 1) {
      for (const [side, accountId] of accounts.entries()) {
        let cursor = '';
        for (let page = 0; page < pages; page += 1) {
          const begun = performance.now();
          const { pagination } = await call(accountId, { method: 'GET', path: `/v2/contacts?${query}${cursor && `&cursor=${cursor}`}` });
          if (round > 0) delays[side === 0 ? 0 : 1].push(performance.now() - begun);
          if (!pagination.next_cursor) break;
          cursor = pagination.next_cursor;
        }
      }
    }
    for (const values of delays) {
      values.sort((a, b) => a - b);
      p99s.push(quantile(values, 0.99));
      cells.push(`${quantile(values, 0.5).toFixed(1)} | ${quantile(values, 0.99).toFixed(1)}`);
    }
    const ratio = (p99s[1] ?? Number.NaN) / (p99s[0] ?? Number.NaN);
    ratios.push(ratio);
    lines.push(`| ${query} | ${cells.join(' | ')} | ${ratio.toFixed(2)} |`);
  }
  const counts = await Promise.all(accounts.map((accountId) => stores.contacts.countWithAttribute(accountId, 'plan', 60_000)));
  if (counts.join() !== `${few},${many}`) throw new Error(`the accounts have ${counts.join(' and ')} contacts`);
  const [less, more] = [few, many].map((count) => count.toLocaleString('en'));
  await writeResults({
    name: 'contacts-lists',
    title: 'Contacts: pages of a list',
    how: `two accounts in one database, with ${less} and ${more} contacts; milliseconds in the service for pages of 50, the first ${pages} pages of each listing, ${rounds} listings of both accounts in turn after a warm-up.`,
    table: [`| | ${less}: p50 | p99 | ${more}: p50 | p99 | p99 ratio |`, '|---|---|---|---|---|---|', ...lines].join('\n'),
    aims: [[`p99 of a page at ${more} contacts / at ${less}, worst case`, '≤ 2', Math.max(...ratios).toFixed(2)]],
  });
});
