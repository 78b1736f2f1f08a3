import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { commands } from './generated/commands.gen.ts';

const run = promisify(execFile);
const mp = join(import.meta.dirname, 'mp.ts');

/** What bash suggests for the last of these words. It has no start-up files, so no package for completions either. */
async function suggestions(...words: string[]): Promise<string[]> {
  const script = `
    mp() { "$NODE" "$MP" "$@"; }
    source <(mp completion bash) && source <(mp completion bash) || exit 1
    COMP_WORDS=(mp "$@")
    COMP_CWORD=$#
    [[ $(complete -p mp) =~ -F\\ ([^ ]+) ]] && "\${BASH_REMATCH[1]}"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, NODE: process.execPath, MP: mp };
  const { stdout, stderr } = await run('bash', ['--noprofile', '--norc', '-c', script, 'bash', ...words], { env });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash completes commands, flags and their values, without other packages, even if it has read the script twice', async () => {
  assert.deepEqual(await suggestions('contacts', 'impo'), ['imports', 'import']);
  assert.ok((await suggestions('contacts', '')).includes('list'));
  assert.deepEqual(await suggestions('contacts', 'list', '--sta'), ['--status']);
  assert.ok((await suggestions('contacts', 'list', '--status', '')).includes('active'));
});

test('bash does not run what has been typed, and completes other words as files', async () => {
  assert.deepEqual(await suggestions('contacts', 'list', '--q', '$(echo ran >&2)'), []);
  assert.deepEqual(await suggestions('contacts', 'import', 'peo'), []);
  const { stdout } = await run(process.execPath, [mp, 'completion', 'bash']);
  assert.match(stdout, /^complete .*-o default/m);
});

/** The names of the commands that a shell suggests after `mp workflows `, among everything that it shows. */
const workflowCommands = commands.filter(({ words }) => words[0] === 'workflows').map(({ words }) => words[1] ?? '');

test('an empty word is completed in bash by one suggestion per command', async () => {
  const suggested = await suggestions('workflows', '');
  assert.deepEqual(new Set(suggested), new Set([...workflowCommands, 'help']));
  assert.equal(suggested.length, new Set(suggested).size);
});

const env = { ...process.env, NODE: process.execPath, MP: mp };
const skipWithout = (shell: string) => spawnSync(shell, ['--version']).error !== undefined && `there is no ${shell} on this machine`;

test('an empty word is completed in fish by one suggestion per command', { skip: skipWithout('fish') }, async () => {
  const script = 'function mp; $NODE $MP $argv; end; mp completion fish | source; complete -C "mp workflows "';
  const { stdout } = await run('fish', ['--no-config', '-c', script], { env });
  const lines = stdout.trim().split('\n');
  assert.deepEqual(new Set(lines.map((line) => line.split('\t')[0])), new Set([...workflowCommands, 'help']));
  for (const line of lines) assert.match(line, /^[a-z-]+\t\S/);
});

/** Presses Tab in an interactive zsh, and prints what it shows. */
const pressTab = `
  zmodload zsh/zpty
  zpty -b shell zsh -f -i
  zpty -w shell 'PS1="% "; autoload -Uz compinit; compinit -u -D; mp() { "$NODE" "$MP" "$@" }; source <(mp completion zsh); LISTMAX=1000; print REA""DY'
  until_shown() { while [[ $shown != *$1* ]]; do if zpty -r shell part; then shown+=$part; else sleep 0.05; fi; done }
  until_shown READY
  shown=''
  zpty -w -n shell $'mp workflows \t\t'
  until_shown webhook-secret
  print -r -- "$shown"`;

test('an empty word is completed in zsh by one suggestion per command', { skip: skipWithout('zsh') }, async () => {
  const { stdout } = await run('zsh', ['-f', '-c', pressTab], { env });
  const listed = [...stdout.matchAll(/^\S*?([a-z-]+) +-- /gm)].map(([, name]) => name);
  assert.deepEqual(new Set(listed), new Set([...workflowCommands, 'help']));
  assert.doesNotMatch(stdout, /Requires the/);
});

test('zsh, fish and PowerShell have a script that asks mp for suggestions; any other shell is rejected by name', async () => {
  for (const shell of ['zsh', 'fish', 'powershell']) {
    const { stdout } = await run(process.execPath, [mp, 'completion', shell]);
    assert.match(stdout, /mp complete|complete --/, shell);
  }
  await assert.rejects(run(process.execPath, [mp, 'completion', 'tcsh']), /Allowed choices are zsh, bash, fish, powershell/);
});
