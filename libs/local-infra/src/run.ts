import { spawn } from 'node:child_process';

export type Command = { cwd?: string; env?: NodeJS.ProcessEnv; timeoutMs: number };

/** Runs a program and returns its stdout. Rejects with the end of its stderr when it fails. */
export function run(program: string, args: readonly string[], { cwd, env, timeoutMs }: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.on('error', (error) => reject(new Error(`cannot run ${program}: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(stdout);
      const why = signal === 'SIGKILL' ? `did not finish within ${timeoutMs / 1000} s` : endOf(stderr) || `ended with ${code ?? signal}`;
      reject(new Error(`${program} ${args[0] ?? ''}: ${why}`));
    });
  });
}

/** The last few lines, because the reason is not always in the last one. */
const endOf = (text: string) => text.trim().split('\n').slice(-4).join('\n');
