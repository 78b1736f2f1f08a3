import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, trustedId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { MongoNetworkError } from 'mongodb';
import { createConfirmErasures } from './confirm-erasures.ts';
import { createErasuresStore, type RequestedErasure } from './erasures-store.ts';

test('requested erasures', async (t) => {
  const { mongo } = await testParts(t, 'kit');
  const erasures = createErasuresStore(mongo.db);
  await erasures.prepare();
  const origin = { correlationId: 'test', causationId: null };
  const began = Date.now() - 3_600_000;
  async function request(count: number, minute: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId('erasure'));
    const contactId = newId('contact');
    await mongo.transaction(origin, async (tx) => {
      for (const id of ids)
        await erasures.add(
          tx,
          { id, accountId: trustedId<'account'>('account_1'), contactId, contactIds: [contactId], correlationId: 'test' },
          new Date(began + minute * 60_000),
        );
    });
    return ids;
  }
  const confirmed: string[] = [];
  const confirm = async ({ id }: RequestedErasure) => {
    const isFirst = (await mongo.transaction(origin, (tx) => erasures.confirmed(tx, id))) !== undefined;
    if (isFirst) confirmed.push(id);
    return isFirst;
  };
  const warned: unknown[] = [];
  const logger = { warn: (...said: unknown[]) => warned.push(said), info: () => undefined };
  const never = new AbortController().signal;
  t.afterEach(() => mongo.db.collection('erasures').deleteMany({}));

  await t.test('a hundred permanent failures block no other erasure and cause a pause', async () => {
    const failing = new Set(await request(100, 0));
    const [last = ''] = await request(1, 1);
    const turn = createConfirmErasures({
      erasures,
      logger,
      confirm: async (erasure) => {
        if (failing.has(erasure.id)) throw new Error('it cannot be');
        return confirm(erasure);
      },
    });
    assert.equal(await turn(never), false);
    assert.equal(warned.length, 11, 'the first and every tenth');
    assert.equal(await turn(never), false);
    assert.equal(confirmed.at(-1), last);
    assert.equal((await erasures.open(200, new Date(Date.now() + 120_000))).length, 100, 'they are tried again');
  });

  await t.test('an erasure that waits for something else moves behind the others, too', async () => {
    const [waiting, next] = [...(await request(1, 0)), ...(await request(1, 1))];
    const turn = createConfirmErasures({ erasures, logger, confirm: async (erasure) => erasure.id !== waiting && confirm(erasure) });
    await turn(never);
    assert.equal(confirmed.at(-1), next);
    assert.deepEqual(await erasures.open(1, new Date(began + 60_000)), []);
  });

  await t.test('counts no attempts while MongoDB is unavailable or after a stop', async () => {
    await request(2, 0);
    let tried = 0;
    const away = async () => {
      tried += 1;
      throw new MongoNetworkError('gone');
    };
    await assert.rejects(createConfirmErasures({ erasures, logger, confirm: away })(never), MongoNetworkError);
    const ending = new AbortController();
    const end = async () => {
      tried += 1;
      ending.abort();
      return true;
    };
    await createConfirmErasures({ erasures, logger, confirm: end })(ending.signal);
    assert.equal(tried, 2);
    assert.equal((await erasures.open(10)).length, 2);
  });

  await t.test('reports records removed in an aborted iteration, once, with the confirmation', async () => {
    const [id = ''] = await request(1, 0);
    await erasures.removed(id, { events: 3 });
    await erasures.removed(id, { events: 0 });
    const confirm = () => mongo.transaction(origin, (tx) => erasures.confirmed(tx, id));
    assert.deepEqual(await confirm(), { events: 3 });
    assert.equal(await confirm(), undefined);
  });
});
