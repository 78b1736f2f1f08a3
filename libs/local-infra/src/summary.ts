import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import pc from 'picocolors';
import { run } from './run.ts';

type Platform = { root: string; logs: string; url: string; env: NodeJS.ProcessEnv; seconds: string };

/** The next steps, shown after a start of the platform. */
export async function formatSummary({ root, logs, url, env, seconds }: Platform): Promise<string> {
  const api = `${url}/v2`;
  const rows = [
    ['Dashboard', pc.cyan(url)],
    ...(await signInLink(root, env)).map((line, index) => [index === 0 ? 'Sign in' : '', pc.cyan(line)]),
    ['API', pc.cyan(api)],
    ['Docs', pc.cyan(`${url}/docs/`)],
    ['Create key', 'npm run key -- --name "CI" --permission read_write'],
    ['Call', `curl -H "Authorization: Bearer $KEY" ${api}/contacts`],
    ['Logs', relative(process.cwd(), logs) || logs],
    ['Stop', 'Ctrl-C'],
  ];
  const lines = rows.map(([name = '', text = '']) => `  ${pc.dim(name.padEnd(10))} ${text}`);
  return ['', `  ${pc.bold(pc.green('The platform is ready'))} ${pc.dim(`after ${seconds} s`)}`, '', ...lines, ''].join('\n');
}

/** The output of the gateway's command, which knows whether a user has signed in yet. */
async function signInLink(root: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const file = join(root, 'services', 'gateway', 'src', 'cli', 'sign-in-link.ts');
  if (!existsSync(file)) return [];
  try {
    const output = await run(process.execPath, [file], { cwd: root, env, timeoutMs: 20_000 });
    return output
      .trim()
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    return [`cannot create a link: ${error instanceof Error ? error.message : error}`];
  }
}
