import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ValidationError } from '@marketing-platform/sdk';
import type { Command } from 'commander';
import { requestFor } from './call-operation.ts';
import { describeError } from './exit-codes.ts';
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

test('a list of commands shows what is in each group', () => {
  const program = createProgram();
  const groups = [program, ...program.commands].flatMap(({ commands }) => commands).filter(({ commands }) => commands.length > 0);
  assert.ok(groups.length > 10);
  for (const group of groups) assert.ok(group.summary().startsWith(group.commands[0]?.name() ?? '?'), group.name());
  assert.match(program.helpInformation(), /webhooks +list, create, deliveries/);
});

test('an error about wrong usage says what is valid', async () => {
  const wrong: [string[], RegExp][] = [
    [['contacts', 'list', '--limit', 'many'], /--limit must be a number/],
    [['contacts', 'create', '--address', '{'], /--address is not valid JSON.*@file\.json/],
    [['contacts', 'create', '--body', '[]'], /--body must be a JSON object/],
    [['contacts', 'create', '--body', '@/nowhere.json'], /Cannot read the file/],
    [['contacts', 'imports', 'create', '--body', '@/nowhere.csv'], /Cannot read the file: .*\/nowhere\.csv/],
    [['webhooks', 'create', '--url', 'https://example.com'], /Missing: --events/],
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

test('an error names each problem once, with the code and the request', () => {
  const detail = { path: '/email', code: 'invalid_format', message: 'Invalid email address' };
  const failure = { status: 400, code: 'VALIDATION_ERROR', requestId: 'req_1' };
  const last = '  VALIDATION_ERROR · request req_1';
  const one = new ValidationError({ ...failure, message: '/email: Invalid email address', details: [detail] });
  assert.equal(describeError(one), `/email: Invalid email address\n${last}`);
  const two = { ...detail, path: '/phone', message: 'Invalid phone number' };
  const several = new ValidationError({ ...failure, message: '/email: Invalid email address', details: [detail, two] });
  assert.equal(describeError(several), `/email: Invalid email address\n  /phone: Invalid phone number\n${last}`);
});

test('the version it reports is that of the package', async () => {
  const { version: packaged } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  assert.equal(version, packaged);
});
