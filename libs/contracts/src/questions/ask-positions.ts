import type { z } from 'zod';
import type { Position } from '../position.ts';
import { type PositionQuestion, type Publisher, positionQuestions, type Whereabouts } from './positions.ts';

type Ask = (question: PositionQuestion, asked: z.input<PositionQuestion['ask']>) => Promise<z.output<PositionQuestion['answer']>>;

/**
 * Asks each publisher once whose position is not known yet. What was confirmed before the first of these requests is covered
 * by the positions, however often it takes. Contacts comes first: leadpulse attributes events to contacts it has applied.
 */
export async function askPositions(
  ask: Ask,
  account_id: string,
  publishers: readonly Publisher[],
  known: Whereabouts = {},
): Promise<Whereabouts> {
  const whereabouts: Whereabouts = { ...known };
  const askOne = async (publisher: Publisher, after: Position[]) => {
    const { position = null, mark = null } = whereabouts[publisher] ?? {};
    if (position === null) whereabouts[publisher] = await ask(positionQuestions[publisher], { account_id, mark, after });
  };
  await Promise.all(publishers.filter((publisher) => publisher !== 'leadpulse').map((publisher) => askOne(publisher, [])));
  const contacts = whereabouts.contacts?.position;
  if (publishers.includes('leadpulse') && contacts) await askOne('leadpulse', [contacts]);
  return whereabouts;
}

/** The positions of all of them; undefined while one is missing. */
export function positionsOf(publishers: readonly Publisher[], whereabouts: Whereabouts): Position[] | undefined {
  const positions = publishers.flatMap((publisher) => whereabouts[publisher]?.position ?? []);
  return positions.length === publishers.length ? positions : undefined;
}
