import type { AccountId } from '@mp/ids';
import type { z } from 'zod';
import type { Position } from '../position.ts';
import { type KnownPositions, type PositionRequest, type Publisher, positionRequests } from './positions.ts';

type Send = (type: PositionRequest, request: z.input<PositionRequest['request']>) => Promise<z.output<PositionRequest['reply']>>;

/**
 * Requests the position of each publisher whose position is still unknown, once. The positions cover everything that was confirmed before the first
 * of these requests, however many requests it takes. Contacts comes first, because leadpulse attributes events to contacts that
 * it has applied, and segments last, because it applies the events of all others.
 */
export async function requestPositions(
  send: Send,
  account_id: AccountId,
  publishers: readonly Publisher[],
  known: KnownPositions = {},
): Promise<KnownPositions> {
  const found: KnownPositions = { ...known };
  const requestOne = async (publisher: Publisher, after: Position[]) => {
    const { position = null, mark = null } = found[publisher] ?? {};
    if (position === null) found[publisher] = await send(positionRequests[publisher], { account_id, mark, after });
  };
  const first = publishers.filter((publisher) => publisher !== 'leadpulse' && publisher !== 'segments');
  await Promise.all(first.map((publisher) => requestOne(publisher, [])));
  const contacts = found.contacts?.position;
  if (publishers.includes('leadpulse') && contacts) await requestOne('leadpulse', [contacts]);
  if (publishers.includes('segments')) {
    const others = positionsOf(
      publishers.filter((publisher) => publisher !== 'segments'),
      found,
    );
    if (others) await requestOne('segments', others);
  }
  return found;
}

/** The positions of all publishers; undefined while one is missing. */
export function positionsOf(publishers: readonly Publisher[], known: KnownPositions): Position[] | undefined {
  const positions = publishers.flatMap((publisher) => known[publisher]?.position ?? []);
  return positions.length === publishers.length ? positions : undefined;
}
