import type { Origin, Transaction } from '@mp/service-kit/mongo';
import type { Effect, Input } from './run.ts';
import type { StoredRun } from './run-document.ts';

/** An effect that needs nothing outside: it is performed in the transaction that ends its step. */
export type InnerEffect = Effect & { type: 'start' | 'track' };

/** A run that waits for such an effect. `lease` and `cause` are as in `Move`. */
export type Inner<Of extends InnerEffect = InnerEffect> = {
  run: StoredRun;
  effect: Of;
  lease?: Date | undefined;
  cause?: Origin | undefined;
};

/** Takes the steps of these runs, and those that follow if they need nothing outside either. Returns the runs afterwards. */
export type TakeInner = (tx: Transaction, inner: readonly Inner[], depth: number) => Promise<StoredRun[]>;

export const isInner = (one: Effect | Input | undefined): one is InnerEffect => one?.type === 'start' || one?.type === 'track';
