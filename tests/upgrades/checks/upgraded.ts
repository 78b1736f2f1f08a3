import assert from 'node:assert/strict';
import { eventually as within } from '@mp/test-kit/eventually';
import type { Client } from '../../client.ts';
import type { Json } from '../../contract.ts';
import type { startMailSink } from '../../mail-sink.ts';
import type { Platform } from '../../platform.ts';
import type { Hooks } from '../hooks.ts';

/** The current code on the data of a fixture, with what the manifest says about that data. */
export type Upgraded = {
  platform: Platform;
  client: Client;
  hooks: Hooks;
  sink: Awaited<ReturnType<typeof startMailSink>>;
  manifest: Json;
};

/** Only to end a check that hangs: it waits for everything that was interrupted, even on a busy machine. */
export const eventually = <T>(attempt: () => Promise<T | undefined | false>) => within(attempt, 10 * 60_000);

/** How many emails with this subject arrived at the address, before the crash and since. */
export const received = ({ manifest, sink }: Upgraded, to: string, subject: string): number =>
  manifest.emails.filter((mail: { to: string; subject: string }) => mail.to === to && mail.subject === subject).length +
  sink.to(to).filter((mail) => mail.subject === subject).length;

/** Exactly one email if the ledger says it was sent, at most one if it does not know, otherwise none. */
export function checkOnce(upgraded: Upgraded, { to, subject, state }: { to: string; subject: string; state: string }) {
  const count = received(upgraded, to, subject);
  const expected = state === 'sent' || state === 'delivered' ? [1] : state === 'unknown' ? [0, 1] : [0];
  assert.ok(expected.includes(count), `${to} got "${subject}" ${count} times, and the ledger says ${state}`);
}

export const isSettled = (state: string) => !['queued', 'sending', 'deferred'].includes(state);
