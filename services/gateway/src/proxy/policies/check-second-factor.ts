import type { Credential } from '../../credentials/credential.ts';
import type { CredentialCache } from '../../credentials/credential-cache.ts';
import { dueOf } from '../../credentials/second-factor-proof.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../routes/route.ts';

export type SecondFactorParts = { sessions: CredentialCache };

/** Throws SECOND_FACTOR_REQUIRED if the user of a session must first add a second factor, or prove it again for this route. */
export function checkSecondFactor(exchange: Exchange, credential: Credential, route: Route, parts: SecondFactorParts) {
  const stepUp = route.step_up ?? false;
  // Read again before it is refused: the user may have proven it just now, through another gateway.
  return dueOf(credential, { stepUp, now: exchange.at }) && readAgain(credential, { stepUp, now: exchange.at }, parts);
}

async function readAgain({ hash }: Credential, at: { stepUp: boolean; now: number }, { sessions }: SecondFactorParts): Promise<void> {
  sessions.forget(hash);
  const current = await sessions.find(hash);
  const due = current && dueOf(current, at);
  if (due) throw due;
}
