import type { EventBody, MovedRecord } from './records.ts';
import type { Progress } from './state.ts';
import { noCounts, plus, type Steps } from './steps.ts';
import type { Track } from './target.ts';

const eventsPerRequest = 500;
const maxBytes = 900_000;
const bytesIn = (body: object) => new TextEncoder().encode(JSON.stringify(body)).length + 1;

type Deps = { track: Track; steps: Pick<Steps, 'step' | 'note'>; save: Progress['save'] };

/** Past events, which count in analytics and segments and start nothing. The ID of an event makes a second one a duplicate. */
export function createEventWriter({ track, steps: { step, note }, save }: Deps) {
  async function send(events: readonly Record<string, unknown>[]) {
    const { results } = await track(events);
    let counts = noCounts;
    for (const [index, { status, message }] of results.entries()) {
      const one = status === 'accepted' ? 'created' : status === 'duplicate' ? 'unchanged' : 'failed';
      counts = plus(counts, { ...noCounts, [one]: 1 });
      if (one === 'failed') note(`event ${events[index]?.event} of ${events[index]?.timestamp}: ${message ?? 'was rejected'}`);
    }
    return counts;
  }

  /** `bodyOf` is asked only for the rows that are not written yet. */
  return <Row>(rows: AsyncIterable<Row>, bodyOf: (row: Row) => Record<string, unknown> | Promise<Record<string, unknown>>) =>
    step('events', async (its) => {
      let counts = its.counts ?? noCounts;
      const done = Number(its.position ?? 0);
      let read = 0;
      let batch: Record<string, unknown>[] = [];
      let bytes = 0;
      const flush = async () => {
        if (batch.length > 0) counts = plus(counts, await send(batch));
        [batch, bytes] = [[], 0];
        Object.assign(its, { position: String(read), counts });
        await save();
      };
      for await (const row of rows) {
        read += 1;
        if (read <= done) continue;
        const body = { ...(await bodyOf(row)), backfill: true };
        bytes += bytesIn(body);
        batch.push(body);
        if (batch.length === eventsPerRequest || bytes > maxBytes) await flush();
      }
      await flush();
      return counts;
    });
}

/** The events among what was read. */
export async function* eventsIn(records: AsyncIterable<MovedRecord>): AsyncIterable<EventBody> {
  for await (const record of records) if (record.kind === 'event') yield record.body;
}
