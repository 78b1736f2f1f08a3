import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Command } from 'commander';
import { requestFor } from './call-operation.ts';
import { commands } from './generated/commands.gen.ts';
import { createProgram } from './program.ts';
import { version } from './version.ts';

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

test('every operation has a command, and the example in its help is a request to that operation', async () => {
  for (const { example, operationId, method, path } of commands) {
    let called = '';
    const program = createProgram(async (command, args, given) => {
      // The files of the examples do not exist here.
      const body = command.body?.kind === 'file' ? 'a' : Object.fromEntries((command.body?.required ?? []).map((name) => [name, name]));
      const request = await requestFor(command, args, {
        ...given,
        ...(given.body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      assert.match(request.path, new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`));
      assert.equal(request.method, method);
      called = command.operationId;
    });
    await program.parseAsync(example, { from: 'user' });
    assert.equal(called, operationId, example.join(' '));
  }
});

test('the help of every command has an example', () => {
  for (const command of commandsOf(createProgram())) {
    const isHidden = command.name() === 'complete';
    assert.ok(isHidden || /\nExamples?:\n {2}(mp|source)/.test(helpOf(command)), command.name());
  }
});

async function requestOf(...line: string[]) {
  let request: Awaited<ReturnType<typeof requestFor>> | undefined;
  const program = createProgram(async (command, args, given) => {
    request = await requestFor(command, args, given);
  });
  for (const command of commandsOf(program)) command.configureOutput({ writeErr: () => {} });
  await program.parseAsync(line, { from: 'user' });
  return request;
}

test('flags become query parameters and fields of the right type, and win over --body', async () => {
  const list = await requestOf('contacts', 'list', '--tag', 'vip', '--limit', '5', '--created-at-gte', '2026-01-01T00:00:00Z');
  assert.deepEqual(list?.query, { tag: 'vip', limit: 5, 'created_at[gte]': '2026-01-01T00:00:00Z' });
  const create = await requestOf(
    'contacts',
    'create',
    '--email',
    'a@example.com',
    '--tags',
    'a, b',
    '--address',
    '{"city":"Berlin"}',
    '--body',
    '{"email":"b@example.com","company":"C"}',
  );
  assert.deepEqual(create?.body, { email: 'a@example.com', company: 'C', tags: ['a', 'b'], address: { city: 'Berlin' } });
  assert.equal(create?.isWrite, true);
  assert.deepEqual((await requestOf('contacts', 'erase', 'contact_1', '--suppress', 'false'))?.body, { suppress: false });
  assert.equal((await requestOf('campaigns', 'send', 'campaign_1'))?.body, undefined);
});

test('wrong usage says what would be right', async () => {
  const wrong: [string[], RegExp][] = [
    [['contacts', 'list', '--limit', 'many'], /--limit must be a number/],
    [['contacts', 'create', '--address', '{'], /--address is not valid JSON.*@file\.json/],
    [['contacts', 'create', '--body', '[]'], /--body must be a JSON object/],
    [['contacts', 'create', '--body', '@/nowhere.json'], /Cannot read the file/],
    [['workflows', 'create', '--name', 'x'], /Missing: --trigger/],
    [['contacts', 'imports', 'create'], /--body @contacts\.csv/],
    [['contacts', 'get', ''], /<id> is empty/],
    [['contacts', 'get'], /missing required argument 'id'/],
    [['contacts', 'list', '--status', 'lively'], /Allowed choices are active/],
    [['contacts', 'list', '--tagg', 'x'], /Did you mean --tag/],
    [['webhooks', 'listen'], /--forward http:\/\/localhost:3000\/hook/],
    [['webhooks', 'listen', '--forward', 'ftp://localhost'], /--forward must be a URL such as http.*"ftp:\/\/localhost"/],
    [['webhooks', 'listen', '--forward', 'http://'], /--forward must be a URL/],
  ];
  for (const [line, message] of wrong) await assert.rejects(requestOf(...line), message, line.join(' '));
});

test('the version it reports is that of the package', async () => {
  const { version: packaged } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  assert.equal(version, packaged);
});
