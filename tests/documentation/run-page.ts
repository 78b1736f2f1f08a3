import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Platform } from '../platform.ts';
import { type Block, blocksFor } from './page-blocks.ts';
import { type Step, stepsOf } from './page-steps.ts';
import { assertShown, comparable, printedJson } from './shown.ts';

const root = join(import.meta.dirname, '../..');
const end = '--- end of the block';
/** In the repository, so that programs find its packages. */
const folders = join(root, '.data', 'test');

/** Commands find the Node that runs the tests. */
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;

/** What a page takes from the reader's machine: a command that makes keys, `mp` and Python with its SDK, installed; other systems are recorded servers. */
const machine = `
npm() {
  case "$*" in
    *'run -s key'*'--permission admin'*) printf '%s' "$TEST_ADMIN_KEY" ;;
    *'run -s key'*) printf '%s' "$TEST_KEY" ;;
    *) echo "no test knows npm $*" >&2; return 1 ;;
  esac
}
mp() {
  local there=()
  case "$*" in
    *--archive*) ;;
    *'--from mailchimp'*) there=(--url "$TEST_MAILCHIMP") ;;
    *'--from klaviyo'*) there=(--url "$TEST_KLAVIYO") ;;
    *'--from listmonk'*) there=(--url "$TEST_LISTMONK") ;;
  esac
  node '${root}/libs/cli/src/mp.ts' "$@" \${there[@]+"\${there[@]}"}
}
PATH="\${TEST_PYTHON:+$(dirname "$TEST_PYTHON"):}$PATH"
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
`;

type Run = { platform: Platform; env: Record<string, string>; way?: string; setUp?: readonly Block[] };

/**
 * Runs the blocks of a page as a reader does: shell commands in one shell, files saved where they are run.
 * What a page shows below a block must be what the block printed; a response that is not shown must be a success.
 */
export async function runPage(blocks: readonly Block[], { platform, env, way = '', setUp = [] }: Run): Promise<void> {
  mkdirSync(folders, { recursive: true });
  const folder = mkdtempSync(join(folders, 'page-'));
  try {
    const { files, steps } = stepsOf(blocksFor(way, blocks));
    for (const [name, content] of files) writeFileSync(join(folder, name), content);
    const before: Step[] = setUp.map(({ content, line }) => ({ commands: content, shown: [], line }));
    const script = [...before, ...steps].map(({ commands }) => `${commands}\nprintf '\\n%s\\n' '${end}'`).join('\n');
    const all = await inShell(`${machine}${script}`.replaceAll('http://localhost:8080', platform.url), folder, env);
    const printed = all.slice(before.length);
    for (const [index, step] of steps.entries()) check(step, (printed[index] ?? '').replaceAll(platform.url, 'http://localhost:8080'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inShell(script: string, cwd: string, env: Record<string, string>): Promise<string[]> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { ...process.env, PATH, XDG_CONFIG_HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => shell.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(shell.stdout), text(shell.stderr), ended]);
  assert.equal(code, 0, `ended with ${code}\n${stdout.slice(-3_000)}\n${stderr.slice(-3_000)}`);
  return stdout.split(`\n${end}\n`).slice(0, -1);
}

function check({ commands, shown, line }: Step, printed: string) {
  const at = `line ${line}: ${commands.trim()}\nprinted ${printed.trim().slice(0, 2_000)}\n`;
  const [first] = shown;
  if (first?.language === 'text') return assert.equal(comparable(printed), comparable(shown.map(({ content }) => content).join('\n')), at);
  if (first === undefined && !printed.includes('{"success":')) return;
  const responses = printedJson(printed);
  if (first === undefined) {
    for (const response of responses) assert.equal(response.success, true, at);
    return;
  }
  assert.equal(responses.length, shown.length, `${at}each response is shown`);
  for (const [index, { content }] of shown.entries()) assertShown(JSON.parse(content), responses[index], at);
}
