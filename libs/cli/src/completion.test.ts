import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

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

test('zsh, fish and PowerShell have a script that asks mp for suggestions; any other shell is rejected by name', async () => {
  for (const shell of ['zsh', 'fish', 'powershell']) {
    const { stdout } = await run(process.execPath, [mp, 'completion', shell]);
    assert.match(stdout, /mp complete|complete --/, shell);
  }
  await assert.rejects(run(process.execPath, [mp, 'completion', 'tcsh']), /Allowed choices are zsh, bash, fish, powershell/);
});
