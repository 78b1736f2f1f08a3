import type { RecipientId } from '@mp/ids';
import type { Db } from 'mongodb';
import type { PartName } from '../src/ledger/counters/counters-store.ts';
import { stepVariantKey } from '../src/ledger/counters/step-variant.ts';
import type { EngagementDocument } from '../src/ledger/engagements/engagements-store.ts';
import { type RecipientDocument, recipientsOf } from '../src/ledger/recipients/recipient-row.ts';

/** Counts again what the counters keep, so that tests can compare the two. */
export function createRecount(db: Db) {
  const withoutZeros = (counts: Record<string, number>) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

  const rowsOf = (sourceId: string) => recipientsOf(db).find({ source_id: sourceId }).toArray();
  const engagementsOf = (sourceId: string) => db.collection<EngagementDocument>('engagements').find({ source_id: sourceId }).toArray();
  const people = (some: readonly EngagementDocument[]) => new Set(some.map(({ recipient_id }) => recipient_id)).size;

  type StoredConversion = { _id: string; source_id: string; recipient_id: RecipientId; value: { amount: number } | null };
  const conversionsOf = (sourceId: string) => db.collection<StoredConversion>('conversions').find({ source_id: sourceId }).toArray();
  /** What is compared between the groups is stored for each row. */
  const isOutcome = (id: string) => id.split(' ').length === 3;
  const sumOf = (some: readonly StoredConversion[]) => ({
    conversions: some.length,
    converted: new Set(some.map(({ recipient_id }) => recipient_id)).size,
    revenue_EUR: some.reduce((sum, { value }) => sum + Math.round((value?.amount ?? 0) * 10_000), 0),
  });

  /** The counters of these rows, computed from the rows' states and the engagements alone. */
  async function recount(sourceId: string, isOf: (row: RecipientDocument) => boolean = () => true) {
    const rows = (await rowsOf(sourceId)).filter(isOf);
    const ids = new Set(rows.map(({ _id }) => _id));
    const all = (await engagementsOf(sourceId)).filter(({ recipient_id }) => ids.has(recipient_id));
    const converted = await conversionsOf(sourceId);
    const own = converted.filter(({ _id, recipient_id }) => ids.has(recipient_id) && !isOutcome(_id));
    const scheduled = rows.flatMap(({ sent_at, scheduled_for }) =>
      sent_at && scheduled_for ? [(sent_at.getTime() - scheduled_for.getTime()) / 1_000] : [],
    );
    const of = (kind: string, machine: boolean) => all.filter((one) => one.kind === kind && (one.machine !== null) === machine);
    const kinds = ['opened', 'clicked'].flatMap((kind) => [
      [`${kind}_human`, of(kind, false).length],
      [`${kind}_machine`, of(kind, true).length],
      [`${kind}_human_unique`, people(of(kind, false))],
      [`${kind}_machine_unique`, people(of(kind, true))],
    ]);
    return withoutZeros({
      ...Object.fromEntries(kinds),
      unsubscribed: people(of('unsubscribed', false)),
      ...sumOf(own),
      scheduled: scheduled.length,
      late: scheduled.filter((seconds) => seconds > 300).length,
      lateness: scheduled.reduce((sum, seconds) => sum + seconds, 0),
      ...Object.fromEntries([...Map.groupBy(rows, ({ state }) => state)].map(([state, some]) => [state, some.length])),
    });
  }

  /** The breakdown, computed from the rows and the engagements alone. */
  async function recountBy(sourceId: string, by: PartName): Promise<Record<string, Record<string, number>>> {
    if (by === 'variant' || by === 'domain' || by === 'step' || by === 'step_variant' || by === 'template') {
      const keyOf = ({ variant, address, step, step_variant, template }: RecipientDocument) =>
        ({
          ...{ variant, domain: address?.split('@')[1], step, template: template?.id },
          step_variant: step && step_variant && stepVariantKey(step, step_variant),
        })[by] ?? '';
      const keys = Map.groupBy(await rowsOf(sourceId), keyOf);
      keys.delete('');
      const counted = [...keys].map(
        async ([key, rows]) => [key, { ...(await recount(sourceId, (row) => keyOf(row) === key)), recipients: rows.length }] as const,
      );
      return Object.fromEntries(await Promise.all(counted));
    }
    if (by === 'group') {
      const outcomes = (await conversionsOf(sourceId)).filter(({ _id }) => isOutcome(_id));
      const keys = Map.groupBy(await rowsOf(sourceId), ({ held_out_at }) => (held_out_at ? 'held_out' : 'emailed'));
      const of = (rows: readonly RecipientDocument[]) =>
        outcomes.filter(({ recipient_id }) => rows.some(({ _id }) => _id === recipient_id));
      return Object.fromEntries([...keys].map(([key, rows]) => [key, withoutZeros({ recipients: rows.length, ...sumOf(of(rows)) })]));
    }
    const variants = new Map((await rowsOf(sourceId)).map(({ _id, variant }) => [_id, variant]));
    const engaged = (await engagementsOf(sourceId)).filter(({ kind, link }) => kind !== 'unsubscribed' && (by !== 'link' || link !== null));
    const groups = Map.groupBy(engaged, ({ at, link, device = '', recipient_id }) =>
      by === 'hour' ? at.toISOString().slice(0, 13) : by === 'device' ? device : `${variants.get(recipient_id)}-${link}`,
    );
    const countsOf = (some: readonly EngagementDocument[]) =>
      Object.fromEntries(
        [...Map.groupBy(some, ({ kind, machine }) => `${kind}_${machine === null ? 'human' : 'machine'}`)].flatMap(([name, own]) => [
          [name, own.length],
          [`${name}_unique`, people(own)],
        ]),
      );
    return Object.fromEntries([...groups].map(([key, some]) => [key, countsOf(some)]));
  }

  return { recount, recountBy };
}
