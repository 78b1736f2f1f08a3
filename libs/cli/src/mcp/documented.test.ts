import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { MarketingPlatform } from '@marketing-platform/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpServer } from './serve-mcp.ts';

type Media = { example?: unknown; examples?: Record<string, { value: unknown }> };
type Operation = { responses: Record<string, { content?: Record<string, Media> }> };
const openapi: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  readFileSync(new URL('../../../../services/gateway/config/openapi.json', import.meta.url), 'utf8'),
);
const overview = `- [contacts](/reference/contacts.md): People.\n- [Rule language](/reference/rules.md): Conditions.\n- [Guides](/docs/)\n`;

/** What the document shows as the response of an operation. */
function exampleOf(method: string, path: string): Response {
  const [, operations = {}] =
    Object.entries(openapi.paths)
      .sort(([one], [other]) => one.split('{').length - other.split('{').length)
      .find(([template]) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)) ?? assert.fail(path);
  const responses = Object.entries(operations[method.toLowerCase()]?.responses ?? {});
  const media = responses.find(([status]) => status.startsWith('2'))?.[1].content?.['application/json'];
  return Response.json(media?.example ?? Object.values(media?.examples ?? {})[0]?.value ?? assert.fail(`${method} ${path}`));
}

/** The SDK's own client, connected to the server of a platform that responds as it is documented. */
async function connected(t: TestContext) {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { method, url } = new Request(input, init);
    const { pathname } = new URL(url);
    return pathname.startsWith('/v2/') ? exampleOf(method, pathname) : new Response(pathname === '/llms.txt' ? overview : `# ${pathname}`);
  };
  const mp = new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl: 'https://mp.example.com', fetch });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { send: true } }));
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(mp, { allowWrites: true, allowSend: true, version: '0.0.0' });
  await Promise.all([server.connect(there), client.connect(here)]);
  t.after(() => client.close());
  return client;
}

const args = {
  ...{ contact_id: 'contact_1', segment_id: 'segment_1', campaign_id: 'campaign_1', workflow_id: 'workflow_1', form_id: 'form_1' },
  ...{ name: 'Spring', subject: 'Hello', from: { email: 'news@example.com' }, html: '<p>Hi</p>', include: ['segment_1'] },
  rule: { field: 'email', op: 'exists' },
};

test('each tool returns what its output schema says, as structured content and as text', async (t) => {
  const client = await connected(t);
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 14);
  for (const { name, inputSchema, outputSchema } of tools) {
    const given = Object.fromEntries(Object.entries(args).filter(([field]) => inputSchema.required?.includes(field)));
    // The client compares the structured content with the schema of the list.
    const { isError, content, structuredContent } = CallToolResultSchema.parse(await client.callTool({ name, arguments: given }));
    const [text] = content;
    assert.ok(!isError && text?.type === 'text', `${name}: ${JSON.stringify(content)}`);
    assert.deepEqual(JSON.parse(text.text), structuredContent, name);
    assert.ok(Object.keys(outputSchema?.properties ?? {}).length > 0, `${name} describes no field of its result`);
  }
});

test('the overview, everything in one file and each section of the reference are listed as resources, and can be read', async (t) => {
  const client = await connected(t);
  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map(({ uri }) => uri.replace('marketing-platform://', '')),
    ['llms.txt', 'llms-full.txt', 'reference/contacts.md', 'reference/rules.md'],
  );
  assert.deepEqual([resources[2]?.title, resources[2]?.description], ['contacts', 'People.']);
  for (const { uri } of resources) {
    const [read] = (await client.readResource({ uri })).contents;
    assert.ok(read && 'text' in read && read.text.length > 0, uri);
  }
});

test('prompts name tools that are there, and what the user asked about', async (t) => {
  const client = await connected(t);
  const names = new Set((await client.listTools()).tools.map(({ name }) => name));
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map(({ name }) => name).sort(), ['campaign_results', 'check_campaign', 'why_in_segment', 'win_back']);
  for (const { name, arguments: fields = [] } of prompts) {
    const given = Object.fromEntries(fields.map((field) => [field.name, `the ${field.name}`]));
    const [message] = (await client.getPrompt({ name, arguments: given })).messages;
    const text = message?.content.type === 'text' ? message.content.text : '';
    for (const value of Object.values(given)) assert.ok(text.includes(value), `${name} has no ${value}`);
    const tools = [...text.matchAll(/`(\w+)`/g)].map(([, tool = '']) => tool);
    assert.ok(tools.length > 0 && tools.every((tool) => names.has(tool)), `${name} names ${tools}`);
  }
});
