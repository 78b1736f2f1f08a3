import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, readFile, rm, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Batch, MovedRecord } from '@mp/move-in/records';
import { Written } from '@mp/move-in/state';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';
import { writePrivately } from '../write-privately.ts';

const State = z.object({
  version: z.literal(1),
  identity: z.string(),
  run: z.string(),
  started_at: z.iso.datetime(),
  read: z.object({ next: z.string().nullable(), bytes: z.number(), done: z.boolean() }),
  /** Whether writing was agreed to; from then on the records stay as they were read. */
  confirmed: z.boolean(),
  ...Written.shape,
});
export type State = z.infer<typeof State>;

const identityOf = (parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

type Lifetime = { maxPauseMs: number; now?: () => number };

/**
 * What an import has done so far, and the records it has read in a file beside it, which contain personal data: only the user can
 * read both, and both are removed at the end. One that began longer than `maxPauseMs` ago begins anew. `identity` names the accounts on either side, so that two imports never mix.
 */
export async function openState(
  given: string | ((identity: string) => string),
  parts: readonly string[],
  { maxPauseMs, now = Date.now }: Lifetime,
) {
  const identity = identityOf(parts);
  const path = typeof given === 'string' ? given : given(identity);
  const records = `${path}.records`;
  const fresh = (): State => ({
    ...{ version: 1, identity, run: randomUUID(), started_at: new Date(now()).toISOString(), read: { next: null, bytes: 0, done: false } },
    ...{ confirmed: false, steps: {}, errors: [] },
  });

  async function load(): Promise<State> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return fresh();
    const { data } = State.safeParse(jsonOf(text));
    if (!data) throw new UsageError(`${path} is not the state of an import. Pass another file, or delete it to start over.`);
    if (data.identity !== identity)
      throw new UsageError(`${path} belongs to an import of another account. Pass another file, or delete it.`);
    return data;
  }

  const found = await load();
  const isExpired = now() - Date.parse(found.started_at) > maxPauseMs;
  const state = isExpired ? fresh() : found;
  const save = () => writePrivately(path, `${JSON.stringify(state)}\n`);
  // A batch that was written while the process was killed is read again.
  if (state.read.bytes > 0) await truncate(records, state.read.bytes);
  else await writePrivately(records, '');

  return {
    path,
    state,
    save,
    /** When the import began that was too long ago to resume. */
    expired: isExpired ? found.started_at : undefined,
    isResumed: state.read.bytes > 0 || state.read.done,

    async append({ records: batch, next }: Batch) {
      const text = batch.map((record) => `${JSON.stringify(record)}\n`).join('');
      await appendFile(records, text);
      state.read = { next, bytes: state.read.bytes + Buffer.byteLength(text), done: false };
      await save();
    },

    async *records(): AsyncIterable<MovedRecord> {
      for await (const text of createInterface({ input: createReadStream(records), crlfDelay: Number.POSITIVE_INFINITY }))
        if (text !== '') yield MovedRecord.parse(JSON.parse(text));
    },

    async remove() {
      await rm(records, { force: true });
      await rm(path, { force: true });
    },
  };
}

export type OpenState = Awaited<ReturnType<typeof openState>>;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
