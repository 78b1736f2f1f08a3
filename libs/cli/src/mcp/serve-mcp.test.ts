import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MarketingPlatform } from '@marketing-platform/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { CallToolResultSchema, ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { createMcpServer } from './serve-mcp.ts';

type Sent = { method: string; path: string; ifMatch: string | null };
type Options = { allowWrites?: boolean; allowSend?: boolean; onElicit?: (message: string) => ElicitResult };

const campaign = {
  id: 'campaign_1',
  name: 'Spring',
  status: 'draft',
  subject: 'Hello',
  from: { email: 'news@example.com' },
  revision: 7,
  would_send: 418,
  items: [],
};

/** The SDK's own client, connected to the server, whose platform replies to everything with a campaign. */
async function connected(t: TestContext, { allowWrites = false, allowSend = false, onElicit }: Options = {}) {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname;
    sent.push({ method: request.method, path, ifMatch: request.headers.get('if-match') });
    if (path.endsWith('.txt') || path.endsWith('.md')) return new Response(`# ${path}`);
    if (path.endsWith('/unknown'))
      return Response.json(
        { success: false, error: { code: 'NOT_FOUND', message: 'No contact has this ID.', request_id: 'req_1' } },
        { status: 404 },
      );
    return Response.json({ success: true, data: campaign });
  };
  const mp = new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl: 'https://mp.example.com', fetch });
  const server = createMcpServer(mp, { allowWrites, allowSend, version: '0.0.0' });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: onElicit ? { elicitation: {} } : {} });
  if (onElicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onElicit(params.message));
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  t.after(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { isError = false, content } = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
    return { isError, text: content.map((part) => (part.type === 'text' ? part.text : '')).join('') };
  };
  const writes = () => sent.filter(({ method, path }) => method !== 'GET' && !/\/(search|preview|dry-run|simulate)$/.test(path));
  return { client, call, sent, writes };
}

test('by default every tool only reads', async (t) => {
  const { client, call, writes } = await connected(t);
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 10);
  assert.deepEqual(
    tools.filter(({ annotations }) => annotations?.readOnlyHint !== true),
    [],
  );
  const args = {
    contact_id: 'contact_1',
    segment_id: 'segment_1',
    campaign_id: 'campaign_1',
    workflow_id: 'workflow_1',
    form_id: 'form_1',
    rule: { field: 'email', op: 'exists' },
  };
  for (const { name, inputSchema } of tools) {
    const known = Object.keys(inputSchema.properties ?? {});
    await call(name, Object.fromEntries(Object.entries(args).filter(([field]) => known.includes(field))));
  }
  assert.deepEqual(writes(), []);
  assert.equal((await call('draft_campaign')).isError, true);
  assert.equal((await call('send_campaign', { campaign_id: 'campaign_1' })).isError, true);
});

test('forms and the report of one of them are read', async (t) => {
  const { call, sent } = await connected(t);
  await call('list_forms', { limit: 5 });
  await call('form_report', { form_id: 'form_1', from: '2026-11-01' });
  assert.deepEqual(
    sent.map(({ path }) => path),
    ['/v2/contacts/forms', '/v2/contacts/forms/form_1/report'],
  );
});

test('--allow-writes adds drafts and segments, but nothing that sends', async (t) => {
  const { client, call, writes } = await connected(t, { allowWrites: true });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.ok(names.includes('draft_campaign') && names.includes('create_segment') && !names.includes('send_campaign'));
  await call('draft_campaign', {
    name: 'Spring',
    subject: 'Hello',
    from: { email: 'news@example.com' },
    html: '<p>Hi</p>',
    include: ['segment_1'],
  });
  assert.deepEqual(writes(), [{ method: 'POST', path: '/v2/campaigns', ifMatch: null }]);
});

test('a campaign is sent only after the user has confirmed it, in the revision that was confirmed', async (t) => {
  const messages: string[] = [];
  const replies: ElicitResult[] = [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { send: false } },
    { action: 'accept', content: { send: true } },
  ];
  const { call, writes } = await connected(t, {
    allowSend: true,
    onElicit: (message) => {
      messages.push(message);
      return replies[messages.length - 1] ?? { action: 'cancel' };
    },
  });
  for (let reply = 0; reply < 3; reply++) {
    const { isError, text } = await call('send_campaign', { campaign_id: 'campaign_1' });
    assert.deepEqual([isError, text], [true, 'Not sent: the user did not confirm it.']);
  }
  assert.deepEqual(writes(), []);
  assert.equal((await call('send_campaign', { campaign_id: 'campaign_1' })).isError, false);
  assert.deepEqual(writes(), [{ method: 'POST', path: '/v2/campaigns/campaign_1/send', ifMatch: '"7"' }]);
  assert.match(messages[0] ?? '', /"Spring".*"Hello".*news@example\.com to 418 contacts/);
});

test('a client that cannot ask the user cannot send', async (t) => {
  const { call, sent } = await connected(t, { allowSend: true });
  const { isError, text } = await call('send_campaign', { campaign_id: 'campaign_1' });
  assert.equal(isError, true);
  assert.match(text, /cannot ask the user/);
  assert.deepEqual(sent, []);
});

test('an error of the API reaches the assistant with its code, and the documents of the API are resources', async (t) => {
  const { client, call } = await connected(t);
  const { isError, text } = await call('get_contact', { contact_id: 'unknown' });
  assert.deepEqual([isError, /No contact has this ID\.[\s\S]*NOT_FOUND · request req_1/.test(text)], [true, true]);
  const read = async (uri: string) => JSON.stringify((await client.readResource({ uri })).contents);
  assert.match(await read('marketing-platform://llms.txt'), /# \/llms\.txt/);
  assert.match(await read('marketing-platform://reference/segments.md'), /# \/reference\/segments\.md/);
});

test('an argument that a tool does not have is an error that names it', async (t) => {
  const { call, writes } = await connected(t, { allowWrites: true });
  const { isError, text } = await call('search_contacts', { query: 'ada' });
  assert.equal(isError, true);
  assert.match(text, /query/);
  assert.deepEqual(writes(), []);
});
