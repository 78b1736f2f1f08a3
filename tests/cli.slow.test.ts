import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { eventually } from '@mp/test-kit/eventually';
import { Webhook } from 'standardwebhooks';
import { buildCli } from '../libs/cli/build/build.ts';
import { startPlatform } from './platform.ts';

const run = promisify(execFile);

/** Packs the CLI, installs it in an empty project, and runs it there with its own configuration. */
async function installed(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'cli-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const dist = await buildCli(join(folder, 'dist'));
  await run('npm', ['pack', dist, '--pack-destination', folder]);
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{"name": "project", "private": true}');
  await run('npm', ['install', '--ignore-scripts', '--offline', join(folder, tarball)], { cwd: project });
  const bin = join(project, 'node_modules/.bin/mp');
  const env = { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), MP_API_KEY: undefined, MP_BASE_URL: undefined };
  const start = (line: string[]) => spawn(bin, line, { cwd: project, env, stdio: 'pipe' });
  async function mp(line: string[], input = '') {
    const child = start(line);
    child.stdin.end(input);
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  }
  /** The lines of JSON of a command that succeeds. */
  async function json(...line: string[]) {
    const { code, out, err } = await mp(line);
    assert.equal(code, 0, `mp ${line.join(' ')}: ${err}`);
    return out.trim() === ''
      ? []
      : out
          .trim()
          .split('\n')
          .map((one) => JSON.parse(one));
  }
  return { project, bin, start, mp, json, config: join(folder, 'config/marketing-platform/config.json') };
}

test('the packed CLI logs in, lists, creates, imports, sends and serves MCP on a platform', async (t) => {
  const [{ project, bin, start, mp, json, config }, platform] = await Promise.all([installed(t), startPlatform(t)]);
  const { key = '' } = await platform.client('--permission', 'read_write', '--account', 'cli');

  await t.test('the key is read from standard input, checked, and stored for the user alone', async () => {
    assert.equal((await mp(['contacts', 'list'])).code, 3);
    assert.equal((await mp(['login', '--url', platform.url], 'mp_live_wrong')).code, 3);
    const { code, err } = await mp(['login', '--url', platform.url], key);
    assert.equal(code, 0, err);
    assert.ok(!err.includes(key));
    assert.equal((await stat(config)).mode & 0o777, 0o600);
    assert.deepEqual(
      (await json('profiles')).map(({ name, current }) => [name, current]),
      [['default', true]],
    );
  });

  await t.test('an import follows its progress and saves the rows with errors', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `row${index}@example.com,vip`);
    await writeFile(join(project, 'people.csv'), `email,tags\n${rows.join('\n')}\nnot an email,vip\n`);
    const { code, out } = await mp(['contacts', 'import', 'people.csv']);
    assert.equal(code, 8, 'rows failed');
    const job = JSON.parse(out);
    assert.deepEqual([job.status, job.rows.created, job.rows.failed], ['completed', 250, 1]);
    assert.match(await readFile(join(project, 'people.errors.csv'), 'utf8'), /not an email/);
    const again = await mp(['contacts', 'import', '--resume', job.id]);
    assert.deepEqual([again.code, JSON.parse(again.out).id], [8, job.id]);
  });

  await t.test('a list is one page of NDJSON, or with --all every page', async () => {
    assert.equal((await json('contacts', 'list', '--tag', 'vip', '--limit', '5')).length, 5);
    const all = await json('contacts', 'list', '--tag', 'vip', '--limit', '100', '--all');
    assert.equal(new Set(all.map(({ id }) => id)).size, 250);
    assert.equal((await json('contacts', 'search', '--rule', '{"field":"email","op":"starts_with","value":"row24"}', '--all')).length, 11);
  });

  await t.test('bodies come from flags, a file or standard input, and exit codes say what failed', async () => {
    const [contact] = await json('contacts', 'create', '--email', 'ada@example.com', '--tags', 'vip,new', '--address', '{"city":"Berlin"}');
    assert.deepEqual([contact.tags, contact.address.city], [['vip', 'new'], 'Berlin']);
    await writeFile(join(project, 'body.json'), '{"job_title": "Countess"}');
    const [changed] = await json('contacts', 'update', contact.id, '--body', '@body.json', '--company', 'Analytical Engines');
    assert.deepEqual([changed.job_title, changed.company], ['Countess', 'Analytical Engines']);
    const { out } = await mp(['contacts', 'create', '--body', '-'], '{"email": "grace@example.com"}');
    assert.equal(JSON.parse(out).email, 'grace@example.com');
    const codes = async (...lines: string[][]) => Promise.all(lines.map(async (line) => (await mp(line)).code));
    const failing = [
      ['contacts', 'create', '--email', 'ada@example.com'],
      ['contacts', 'get', 'contact_01m827s9nfena9e9ngg1zc8r4z'],
      ['contacts', 'create', '--email', 'ada'],
      ['settings', 'users', 'list'],
      ['contact'],
    ];
    assert.deepEqual(await codes(...failing), [5, 4, 2, 3, 2]);
    const { err } = await mp(['contacts', 'create', '--email', 'ada@example.com']);
    assert.match(err, /CONFLICT · request req_/);
  });

  await t.test('live events are printed, and forwarded to a local receiver with a signature it can verify', async (t) => {
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) });
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    t.after(() => receiver.close());
    const address = receiver.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`;
    /** What a command that follows events writes, until the test ends. */
    const followed = async (...line: string[]) => {
      const child = start(line);
      t.after(() => child.kill());
      const written = { out: '', err: '' };
      child.stdout.on('data', (chunk) => (written.out += chunk));
      child.stderr.on('data', (chunk) => (written.err += chunk));
      await eventually(async () => written.err.includes('Ctrl-C'));
      return written;
    };
    const [listening, tail] = await Promise.all([
      followed('webhooks', 'listen', '--forward', url, '--events', 'contact.*'),
      followed('events', 'tail', '--events', 'contact.created'),
    ]);
    const [triggered] = await json('webhooks', 'trigger', 'contact.updated');
    assert.equal(triggered.streams, 1);
    const [contact] = await json('contacts', 'create', '--email', 'live@example.com');
    await eventually(async () => received.length === 2 && tail.out.includes('live@example.com') && listening.out.includes('204'));
    const [secret = ''] = /whsec_\S+/.exec(listening.err) ?? [];
    const events = received.map(({ headers, body }) => new Webhook(secret).verify(body, headers as Record<string, string>));
    const find = (type: string) =>
      events.find((event) => event !== null && typeof event === 'object' && 'type' in event && event.type === type);
    assert.equal(JSON.parse(JSON.stringify(find('contact.created'))).data.id, contact.id);
    assert.equal(JSON.parse(JSON.stringify(find('contact.updated'))).id, triggered.event_id);
    assert.equal((await mp(['webhooks', 'listen'])).code, 2);
  });

  await t.test('a dry run counts and sends nothing; a workflow is simulated', async () => {
    const [segment] = await json('segments', 'create', '--name', 'VIPs', '--definition', '{"field":"tags","op":"contains","value":"vip"}');
    const [campaign] = await json(
      ...['campaigns', 'create', '--name', 'Hello', '--subject', 'Hi', '--html', '<p>Hi</p>'],
      ...['--from', '{"email":"news@example.com"}', '--audience', JSON.stringify({ include: [segment.id] })],
    );
    const [dryRun] = await json('campaigns', 'send', campaign.id, '--dry-run');
    assert.equal(dryRun.audience_count, 251);
    assert.equal((await json('campaigns', 'get', campaign.id))[0].status, 'draft');
    const steps = JSON.stringify([
      { id: 'wait', type: 'delay', for: 'P1D', next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'x' },
    ]);
    const [workflow] = await json('workflows', 'create', '--name', 'W', '--trigger', '{"type":"manual"}', '--steps', steps);
    const [contact] = await json('contacts', 'list', '--email', 'ada@example.com');
    assert.equal((await json('workflows', 'simulate', workflow.id, '--contact', contact.id, '--advance', 'P3D'))[0].state, 'completed');

    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { send: true } }));
    const env = Object.fromEntries(
      Object.entries({ ...process.env, MP_API_KEY: key, MP_BASE_URL: platform.url }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    await client.connect(new StdioClientTransport({ command: bin, args: ['mcp', '--allow-send'], env }));
    t.after(() => client.close());
    const call = async (name: string, args: Record<string, unknown>) => {
      const { content, isError } = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
      const [first] = content;
      assert.ok(first?.type === 'text' && !isError, JSON.stringify(content));
      return JSON.parse(first.text);
    };
    assert.equal((await call('search_contacts', { text: 'ada' })).items[0].id, contact.id);
    assert.equal((await call('explain_membership', { segment_id: segment.id, contact_id: contact.id })).member, true);
    assert.ok((await call('preview_segment', { rule: segment.definition })).count >= 251);
    assert.notEqual((await call('send_campaign', { campaign_id: campaign.id })).status, 'draft');
    const { contents } = await client.readResource({ uri: 'marketing-platform://reference/segments.md' });
    assert.match(JSON.stringify(contents), /segments/i);
    await client.close();
  });
});
