import type { z } from 'zod';
import type { Position } from '../position.ts';
import { type PositionQuestion, positionQuestions, type Source, type Whereabouts } from './positions.ts';

type Ask = (question: PositionQuestion, asked: z.input<PositionQuestion['ask']>) => Promise<z.output<PositionQuestion['answer']>>;

/**
 * Asks each source once whose position is not known yet. What was confirmed before the first of these requests is covered
 * by the positions, however often it takes. Contacts comes first: leadpulse attributes events to contacts it has applied.
 */
export async function askPositions(
  ask: Ask,
  account_id: string,
  sources: readonly Source[],
  known: Whereabouts = {},
): Promise<Whereabouts> {
  const whereabouts: Whereabouts = { ...known };
  const askOne = async (source: Source, after: Position[]) => {
    const { position = null, mark = null } = whereabouts[source] ?? {};
    if (position === null) whereabouts[source] = await ask(positionQuestions[source], { account_id, mark, after });
  };
  await Promise.all(sources.filter((source) => source !== 'leadpulse').map((source) => askOne(source, [])));
  const contacts = whereabouts.contacts?.position;
  if (sources.includes('leadpulse') && contacts) await askOne('leadpulse', [contacts]);
  return whereabouts;
}

/** The positions of all sources; undefined while one is missing. */
export function positionsOf(sources: readonly Source[], whereabouts: Whereabouts): Position[] | undefined {
  const positions = sources.flatMap((source) => whereabouts[source]?.position ?? []);
  return positions.length === sources.length ? positions : undefined;
}
