import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const dbosVersion = '5.3.0';

/** The steps of a workflow do nothing, so that only what makes them durable is measured. */
const program = `const { DBOS } = require('@dbos-inc/dbos-sdk');
async function nothing() { return 'done'; }
const workflow = DBOS.registerWorkflow(async (steps) => {
  for (let step = 0; step < steps; step += 1) await DBOS.runStep(nothing, { name: 'step' + step });
}, { name: 'workflow' });
async function main() {
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: process.argv[2], systemDatabasePoolSize: 32, logLevel: 'error' });
  await DBOS.launch();
  process.on('message', async ({ lanes, workflows, steps }) => {
    const begun = performance.now();
    await Promise.all(Array.from({ length: lanes }, async () => {
      for (let index = 0; index < workflows; index += 1) await workflow(steps);
    }));
    process.send((lanes * workflows * steps * 1000) / (performance.now() - begun));
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}
main();
`;

/** DBOS as published, in a process and a folder of its own, on this PostgreSQL. */
export async function startDbos(folder: string, url: string) {
  await install(folder);
  const file = join(folder, 'dbos.cjs');
  await writeFile(file, program);
  const child = fork(file, [url], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return {
    /** Steps per second of as many workflows in a row in each lane. */
    async stepsPerSecond(size: { lanes: number; workflows: number; steps: number }): Promise<number> {
      child.send(size);
      const [rate] = await once(child, 'message');
      return Number(rate);
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function install(folder: string) {
  const isThere = await access(join(folder, 'node_modules/@dbos-inc/dbos-sdk')).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'peers', private: true }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `@dbos-inc/dbos-sdk@${dbosVersion}`];
  await promisify(execFile)('npm', args, { cwd: folder });
}
