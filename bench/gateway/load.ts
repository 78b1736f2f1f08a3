import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { found, onCore, otherCore } from './pinned.ts';

const run = promisify(execFile);

export type Target = { url: string; path: string; keysFile: string };
type Rate = { perSecond: number; requests: number; p50Ms: number; p99Ms: number };

const connections = 64;
const seconds = Number(process.env.BENCH_SECONDS ?? 6);
const hasWrk = found('wrk');

export const loadProgram = `${hasWrk ? 'wrk -t1' : 'autocannon'} with ${connections} connections for ${seconds} s`;

/** Saturates the target, rotating through the keys. Throws if a response is not a success. */
export async function saturate(folder: string, target: Target, forSeconds = seconds): Promise<Rate> {
  await probe(target);
  return hasWrk ? withWrk(folder, target, forSeconds) : withNode('as-many-as-it-takes.ts', target, String(forSeconds));
}

/** Checks with one request that the target returns 200 and the response of the upstream. */
async function probe({ url, path, keysFile }: Target) {
  const [authorization = ''] = (await readFile(keysFile, 'utf8')).split('\n', 1);
  const response = await fetch(url + path, { headers: { authorization } });
  const text = await response.text();
  if (response.status !== 200 || !text.includes('ada@example.com'))
    throw new Error(`${url}${path} → ${response.status} ${text.slice(0, 500)}`);
}

const script = `
local keys = {}
for line in io.lines(os.getenv("KEYS")) do keys[#keys + 1] = line end
local next = 0
request = function()
  next = next % #keys + 1
  return wrk.format("GET", os.getenv("TARGET"), { ["Authorization"] = keys[next] })
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"perSecond":%f,"requests":%d,"p50":%f,"p99":%f,"wrong":%d}\\n',
    summary.requests / summary.duration * 1e6, summary.requests, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`;

async function withWrk(folder: string, { url, path, keysFile }: Target, forSeconds: number): Promise<Rate> {
  const file = join(folder, 'keys-in-turn.lua');
  await writeFile(file, script);
  const command = onCore(otherCore, 'wrk', ['-t1', '--timeout', '10s', `-c${connections}`, `-d${forSeconds}s`, '-s', file, url]);
  const { stdout } = await run(...command, { env: { ...process.env, KEYS: keysFile, TARGET: path } });
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  if (result.wrong > 0) throw new Error(`${result.wrong} responses of ${url}${path} were failures, so the result is invalid.\n${stdout}`);
  return { perSecond: result.perSecond, requests: result.requests, p50Ms: result.p50 / 1_000, p99Ms: result.p99 / 1_000 };
}

/** Sends requests at a constant rate, whether or not responses arrive in time, after a warm-up. */
export const atRate = (target: Target, perSecond: number, warmSeconds: number, forSeconds: number): Promise<Rate> =>
  withNode('constant-rate.ts', target, String(perSecond), String(warmSeconds), String(forSeconds));

async function withNode(file: string, { url, path, keysFile }: Target, ...args: readonly string[]): Promise<Rate> {
  const program = new URL(file, import.meta.url).pathname;
  const { stdout } = await run(...onCore(otherCore, process.execPath, [program, url + path, keysFile, ...args, String(connections)]));
  return JSON.parse(stdout);
}
