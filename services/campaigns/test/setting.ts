import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import type { CampaignId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import type { CampaignsConfig } from '../src/config.ts';
import { type Neighbours, startNeighbours } from './neighbours.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

export const linkKeys = parseKeyring(`test:${Buffer.alloc(32, 3).toString('base64url')}`);

/** Short intervals, with leases long enough that a busy machine does not lose any. */
export const quickTimings = {
  deliveryMs: 60_000,
  claimMs: 60_000,
  leaseMs: 300_000,
  freezeLeaseMs: 60_000,
  reapEveryMs: 50,
  checkEveryMs: 100,
  retry: { firstMs: 20, maxMs: 200, attempts: 4 },
  domainRest: { firstMs: 20, maxMs: 200 },
  slowDomainMs: 500,
  maxDomainWaitMs: 600_000,
};

/** The service configured for route tests, without a mail server. */
export const routesOnly =
  (config: Partial<CampaignsConfig> = {}) =>
  (parts: Parts) =>
    buildApp(parts, {
      LINK_KEYS: linkKeys,
      PUBLIC_URL: 'http://mail.test',
      SMTP_URL: 'smtp://127.0.0.1:1',
      SMTP_CONNECTIONS: 2,
      ...config,
    });

export type Setting = { app: ReturnType<typeof buildApp>['app']; parts: Parts; neighbours: Neighbours; sink: SmtpSink };

/** The whole service with its neighbours and a mail server. */
export async function startSetting(t: TestContext, config: Partial<CampaignsConfig> = {}): Promise<Setting> {
  const neighbours = await startNeighbours(t);
  const sink = await startSmtpSink(t);
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly({ SMTP_URL: sink.url, timings: quickTimings, ...config }), { live: true });
  return { app, parts, neighbours, sink };
}

export const smallest = {
  name: 'Hello',
  subject: 'Hi {{ contact.first_name }}',
  from: { email: 'news@example.com', name: 'News' },
  html: '<p>Hi</p>',
  audience: { include: ['all'] },
};

/** Creates and sends a campaign. Returns its ID. */
export async function sendCampaign(account: Client, body: object = {}): Promise<CampaignId> {
  const created = await account.post('/v2/campaigns', { ...smallest, ...body });
  if (created.status !== 201) throw new Error(created.text);
  const sent = await account.post(`/v2/campaigns/${created.data.id}/send`);
  if (sent.status !== 202) throw new Error(sent.text);
  return created.data.id;
}

/** Schedules a campaign so many milliseconds ahead. On a busy machine that time can pass on the way; another one takes its place. */
export const sendSoon = (account: Client, id: string, ms: number) =>
  eventually(async () => {
    const at = new Date(Date.now() + ms);
    const { status } = await account.post(`/v2/campaigns/${id}/send`, { schedule_at: at.toISOString() });
    return status === 202 && at;
  });

export const read = async (account: Client, id: string) => (await account.get(`/v2/campaigns/${id}`)).data;

export const untilStatus = (account: Client, id: string, status: string, ms?: number) =>
  eventually(async () => {
    const campaign = await read(account, id);
    return campaign.status === status && campaign;
  }, ms);

export const reconciliation = async (account: Client, id: string) =>
  (await account.get(`/v2/campaigns/${id}/ledger?limit=1`)).data.reconciliation;

export const account = (app: Setting['app']) => testClient(app);

/** A temporary folder that is removed after the test. */
export function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'campaigns-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
