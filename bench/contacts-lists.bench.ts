import { createLoadFacts } from '../services/contacts/src/contacts/account-facts.ts';
import { newContact } from '../services/contacts/src/contacts/contact.ts';
import { CreateContactBody } from '../services/contacts/src/contacts/contact-body.ts';
import { documentOf } from '../services/contacts/src/contacts/contact-document.ts';
import { machine, quantile } from './compare.ts';
import { row, withContacts } from './contacts-service.ts';

/** By hand with BENCH_CONTACTS=1000000; by itself with as many as take a moment. */
const many = Number(process.env.BENCH_CONTACTS ?? 100_000);
const few = 10_000;

const queries = ['limit=50', 'tag=imported&limit=50', 'attributes.plan=pro&limit=50', 'sort=updated_at&limit=50', 'q=person1&limit=50'];

/** The same pages of an account with few contacts and one with many: the first, and those that follow it. */
await withContacts(async ({ parts, stores, call, newAccount }) => {
  const collection = parts.mongo.db.collection<{ _id: string }>('contacts');
  async function fill(count: number) {
    const accountId = newAccount();
    const facts = await createLoadFacts(stores)(accountId, [row(0)]);
    const start = Date.now() - count;
    for (let from = 0; from < count; from += 2_000) {
      const documents = Array.from({ length: Math.min(2_000, count - from) }, (_, index) =>
        documentOf(accountId, newContact(CreateContactBody.parse(row(from + index)), facts, { now: new Date(start + from + index) })),
      );
      await collection.insertMany(documents, { ordered: false });
    }
    return accountId;
  }
  const accounts = [await fill(few), await fill(many)] as const;
  const lines: string[] = [];
  for (const query of queries) {
    const cells: string[] = [];
    const p99s: number[] = [];
    const delays: [number[], number[]] = [[], []];
    for (let round = 0; round < 21; round += 1) {
      for (const [side, accountId] of accounts.entries()) {
        let cursor = '';
        for (let page = 0; page < 15; page += 1) {
          const begun = performance.now();
          const { pagination } = await call(accountId, 'GET', `/v2/contacts?${query}${cursor && `&cursor=${cursor}`}`);
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
    lines.push(`| ${query} | ${cells.join(' | ')} | ${((p99s[1] ?? 0) / (p99s[0] ?? 1)).toFixed(2)} |`);
  }
  const counts = await Promise.all(accounts.map((accountId) => stores.contacts.countWithAttribute(accountId, 'plan', 60_000)));
  if (counts.join() !== `${few},${many}`) throw new Error(`the accounts have ${counts.join(' and ')} contacts`);
  const sizes = [few, many].map((count) => count.toLocaleString('en'));
  console.log(
    `\n### Pages of 50 contacts\n\n${machine()}; milliseconds in the service, 300 pages each after 15 that do not count.\n\n| | ${sizes[0]}: p50 | p99 | ${sizes[1]}: p50 | p99 | p99 beside |\n|---|---|---|---|---|---|\n${lines.join('\n')}`,
  );
});
