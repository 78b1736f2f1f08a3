import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Parts } from '@mp/service-kit/service-parts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { buildApp } from '../src/app.ts';
import { config, fakeServices, knownContact } from './setting.ts';

/**
 * The live service on a clock that the test can move, with fakes of the other services and a client of one account.
 * `alter` replaces some of its parts.
 */
export async function liveService(t: TestContext, settings: Partial<typeof config> = {}, alter = (own: Parts): Parts => own) {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const play = await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const build = (own: Parts) => buildApp(alter(own), { ...config, ...settings, clock });
  const { app, engine, evaluator, scheduler, suspended } = await testService(t, parts, build, { live: true });
  const events = await listenToEvents(t);
  const account = testClient(app, { permission: 'admin' });

  const pass = (ms: number) => {
    ahead += ms;
    engine.wake();
    scheduler.wake();
    evaluator.wake();
  };
  const create = async (body: object) => {
    const response = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, ...body });
    assert.equal(response.status, 201, response.text);
    return response.data;
  };
  const contact = (email?: string) => knownContact(parts, account.accountId, email);
  const trigger = async (workflowId: string, contactId: string) => {
    // A transaction on a very busy machine can take longer than conflicts are retried for.
    const response = await eventually(async () => {
      const attempt = await account.post(`/v2/workflows/${workflowId}/trigger`, { contact_id: contactId });
      return attempt.status !== 503 && attempt;
    });
    assert.equal(response.status, 202, response.text);
    return String(response.data.runs[0].run_id);
  };
  const read = async (runId: string) => (await account.get(`/v2/workflows/runs/${runId}`)).data;
  const ended = (runId: string) =>
    eventually(async () => {
      const run = await read(runId);
      return run.ended_at !== null && run;
    });
  const stands = (runId: string, step: string) => eventually(async () => (await read(runId)).step_id === step);
  const logEvents = (run: { log: { event: string; step_id: string | null }[] }) =>
    run.log.map(({ event, step_id }) => `${step_id ?? 'run'} ${event}`);
  const performedFor = (runId: string) => [...play.performed.values()].filter(({ run_id }) => run_id === runId);
  const runsOf = async (workflowId: string) => (await account.get(`/v2/workflows/${workflowId}/runs`)).data.items;

  return {
    account,
    app,
    clock,
    contact,
    create,
    ended,
    events,
    logEvents,
    parts,
    pass,
    performedFor,
    play,
    read,
    runsOf,
    stands,
    suspended,
    trigger,
  };
}
