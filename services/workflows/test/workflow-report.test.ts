import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkflowReport } from '@mp/contracts/requests/workflows';
import { newId, trustedId } from '@mp/ids';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { noEmails } from './fake-reports.ts';
import { liveService } from './live-service.ts';
import { mail, sleeper } from './setting.ts';

test('the report of a workflow', async (t) => {
  const { account, app, contact, create, ended, parts, play, trigger } = await liveService(t);
  const variants = [
    { name: '=A', weight: 50, subject: 'First' },
    { name: 'B', weight: 50, subject: 'Second' },
  ];
  const workflow = await create({ steps: [{ id: 'send', ...mail, variants }] });
  const runs = await Promise.all(Array.from({ length: 8 }, async () => trigger(workflow.id, await contact())));
  await Promise.all(runs.map(ended));
  const { data: plain } = await account.get(`/v2/workflows/${workflow.id}/analytics`);
  const sent = { ...noEmails, accepted: 8, opened: 3, conversions: 2, converted: 1, revenue: [{ currency: 'EUR', amount: 80.5 }] };
  const ofA = { ...noEmails, accepted: 5, opened: 3 };
  play.emails = ({ workflow_id }) => ({
    as_of: '2026-03-01T10:00:00.000Z',
    emails: workflow_id === workflow.id ? sent : noEmails,
    steps: workflow_id === workflow.id ? [{ step_id: 'send', emails: sent, variants: [{ name: '=A', emails: ofA }] }] : [],
  });

  await t.test('has the figures of campaigns for the workflow, each step and each variant, on request', async () => {
    assert.equal(plain.emails, undefined);
    const { data } = await account.get(`/v2/workflows/${workflow.id}/analytics?include=emails`);
    const [step] = data.steps;
    assert.deepEqual([data.counts.entered, data.emails, data.emails_as_of], [8, sent, '2026-03-01T10:00:00.000Z']);
    assert.deepEqual([step.entered, step.emails], [8, sent]);
    const byName = (name: string) => step.variants.find((one: { name: string }) => one.name === name);
    assert.deepEqual([byName('=A')?.emails, byName('B')?.emails], [ofA, null]);
    const rest = data.steps.map(({ emails: _, ...own }: { emails: unknown }) => own);
    assert.deepEqual(
      rest.map((own: { variants: object[] }) => ({
        ...own,
        variants: own.variants.map(({ emails: _, ...one }: { emails?: unknown }) => one),
      })),
      plain.steps,
    );
    const other = await create(sleeper);
    const report = (await account.get(`/v2/workflows/${other.id}/analytics?include=emails`)).data;
    assert.deepEqual([report.emails, report.steps[0].emails], [noEmails, null]);
  });

  await t.test('is exported with a line for the workflow, each step and each variant', async () => {
    const { text, headers } = await account.get(`/v2/workflows/${workflow.id}/analytics/export`);
    assert.match(String(headers['content-type']), /^text\/csv/);
    const [head = '', whole = '', step = '', ...rest] = text.trim().split('\n');
    assert.deepEqual(head.split(','), [
      ...['workflow_id', 'as_of', 'step_id', 'variant', 'entered', 'done', 'skipped', 'exited', 'waiting', 'failed', 'accepted', 'opened'],
      ...['clicked', 'unsubscribed', 'bounced', 'converted', 'conversions', 'revenue'],
    ]);
    assert.equal(whole, `${workflow.id},2026-03-01T10:00:00.000Z,,,8,,,0,0,0,8,3,0,0,0,1,2,80.5 EUR`);
    assert.equal(step, `${workflow.id},2026-03-01T10:00:00.000Z,send,,8,8,0,0,0,0,8,3,0,0,0,1,2,80.5 EUR`);
    assert.ok(
      rest.some((line) => line.includes(",send,'=A,") && line.endsWith(',5,3,0,0,0,0,0,')),
      'a formula is escaped',
    );
  });

  await t.test('is given to the gateway, which mails it', async () => {
    const reportOf = (workflow_id: string) =>
      parts.broker.request(WorkflowReport, { account_id: account.accountId, workflow_id: trustedId<'workflow'>(workflow_id) });
    const { report } = await reportOf(workflow.id);
    assert.deepEqual([report?.name, report?.entered, report?.emails], ['W', 8, sent]);
    assert.deepEqual(report?.steps, [{ name: 'Hi {{ contact.first_name }}', entered: 8, emails: sent }]);
    assert.equal((await reportOf(newId('workflow'))).report, null);
  });

  for (const path of ['analytics', 'analytics/export']) {
    await guaranteeRoute(t, app, {
      method: 'GET',
      scope: 'workflows:read',
      url: async (client) => `/v2/workflows/${(await client.post('/v2/workflows', sleeper)).data.id}/${path}`,
    });
  }
});
