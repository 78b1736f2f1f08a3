import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeptServer } from './kept-server.ts';
import { withLock } from './lock.ts';
import { mongodb } from './mongodb.ts';
import { nats } from './nats.ts';
import { markOf } from './process-mark.ts';
import { livingHolders, readState, writeState } from './state.ts';

/*
 * Runs mongod and nats-server for as long as somebody holds them, detached from every terminal: Ctrl-C and kill -9 reach
 * its holders but not the databases, which must outlive the services that drain into them.
 *
 * Started by acquireInfra with the lock held. It takes the lock itself only to stop, so nobody can arrive in between.
 */
const [dir = '', lingerMs = '5000'] = process.argv.slice(2);
const keeper = markOf(process.pid);
const before = readState(dir)?.servers;

const servers = {
  mongodb: createKeptServer(mongodb, { dir, before: before?.mongodb, changed: tell, log }),
  nats: createKeptServer(nats, { dir, before: before?.nats, changed: tell, log }),
};

function tell(): void {
  const [mongodbRecord, natsRecord] = [servers.mongodb.record(), servers.nats.record()];
  writeState(dir, { keeper, servers: { ...(mongodbRecord && { mongodb: mongodbRecord }), ...(natsRecord && { nats: natsRecord }) } });
}

function log(line: string): void {
  console.log(`${new Date().toISOString()} ${line}`);
}

// Whoever wants it gone stops its holders; a signal only ends the lingering after the last of them.
let patienceMs = Number(lingerMs);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    log(`${signal}: stopping as soon as nobody holds`);
    patienceMs = 0;
  });
}

/** Starts what the holders wish for, and says whether there is one. */
function serve(): boolean {
  const holders = livingHolders(dir);
  for (const { wishes } of holders) {
    if (wishes.mongodb) servers.mongodb.keep(wishes.mongodb);
    if (wishes.nats) servers.nats.keep(wishes.nats);
  }
  return holders.length > 0;
}

async function keepWhileHeld(): Promise<void> {
  let lastHeld = Date.now();
  while (Date.now() - lastHeld <= patienceMs) {
    if (serve()) lastHeld = Date.now();
    await sleep(1_000);
  }
}

async function stop(): Promise<void> {
  await Promise.all([servers.mongodb.stop(), servers.nats.stop()]);
  // What stays on record are the ports, to be used again. The keeper counts as gone from here on: the lock is free before its
  // process is, and whoever takes it then must start a new one.
  writeState(dir, { keeper: { ...keeper, started: '' }, servers: { ...portOf('mongodb'), ...portOf('nats') } });
}

function portOf(name: 'mongodb' | 'nats') {
  const record = servers[name].record();
  return record ? { [name]: { port: record.port, ready: false, failures: 0 } } : {};
}

log(`keeping ${dir}`);
tell();
for (let stopped = false; !stopped; ) {
  await keepWhileHeld();
  stopped = await withLock(join(dir, 'infra.lock'), async () => {
    if (livingHolders(dir).length > 0) return false;
    await stop();
    return true;
  });
}
log('stopped');
process.exit(0);
