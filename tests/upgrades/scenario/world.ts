import assert from 'node:assert/strict';
import { eventually as within } from '@mp/test-kit/eventually';
import type { Client } from '../../client.ts';
import type { Json } from '../../contract.ts';
import type { Platform } from '../../platform.ts';
import type { Hooks } from '../hooks.ts';

/** What a scenario works on, and what it notes for the test in the manifest. */
export type World = { platform: Platform; client: Client; hooks: Hooks; manifest: Manifest };

export type Manifest = Record<string, Json>;

/** The data of a successful response. */
export async function ok(pending: ReturnType<Client['get']>): Promise<Json> {
  const { status, data, text } = await pending;
  assert.ok(status >= 200 && status < 300, `${status} ${text}`);
  return data;
}

/** Everything in a list. */
export async function everything(client: Client, path: string): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Json = await ok(client.get(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`));
    items.push(...page.items);
    cursor = page.pagination.next_cursor;
  }
  return items;
}

/** Triggers a workflow for contacts; returns their runs. */
export async function trigger(client: Client, workflowId: string, contactIds: readonly string[], data: object = {}): Promise<string[]> {
  const contacts = contactIds.map((contact_id) => ({ contact_id }));
  const { runs } = await ok(client.post(`/v2/workflows/${workflowId}/trigger`, { contacts, data }));
  return runs.map(({ run_id, error }: { run_id: string | null; error: object | null }) => {
    assert.ok(run_id, JSON.stringify(error));
    return run_id;
  });
}

export const from = { email: 'news@sender.example', name: 'News' };

/** Only to end a scenario that hangs: everything takes long on a busy machine. */
export const eventually = <T>(attempt: () => Promise<T | undefined | false>) => within(attempt, 10 * 60_000);
