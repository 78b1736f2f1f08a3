import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeptServer } from './kept-server.ts';
import { withLock } from './lock.ts';
import { mongodb } from './mongodb.ts';
import { nats } from './nats.ts';
import { markOf } from './process-mark.ts';
import { readState, runningHolders, writeState } from './state.ts';

/*
 * The keeper runs mongod and nats-server while at least one process (a holder) needs them. It is detached from terminals: Ctrl-C and
 * kill -9 reach the holders but not the servers, which must outlive the services that drain into them.
 *
 * Started by acquireInfra with the lock held. It takes the lock itself only to stop, so that no holder can arrive during the stop.
 */
const [dir = '', lingerMs = '5000'] = process.argv.slice(2);
const keeper = markOf(process.pid);
const before = readState(dir)?.servers;

const servers = {
  mongodb: createKeptServer(mongodb, { dir, before: before?.mongodb, changed: saveState, log }),
  nats: createKeptServer(nats, { dir, before: before?.nats, changed: saveState, log }),
};

function saveState(): void {
  const [mongodbRecord, natsRecord] = [servers.mongodb.record(), servers.nats.record()];
  writeState(dir, { keeper, servers: { ...(mongodbRecord && { mongodb: mongodbRecord }), ...(natsRecord && { nats: natsRecord }) } });
}

function log(line: string): void {
  console.log(`${new Date().toISOString()} ${line}`);
}

// A signal only ends the waiting time after the last holder; to stop the keeper, stop its holders.
let patienceMs = Number(lingerMs);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    log(`${signal}: stopping after the last holder`);
    patienceMs = 0;
  });
}

/** Starts the servers that the holders need. Returns whether there is a holder. */
function serve(): boolean {
  const holders = runningHolders(dir);
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
  // The ports stay on record, to be used again. The keeper counts as gone from here on: the lock is free before its process
  // has ended, and the next holder must start a new keeper.
  writeState(dir, { keeper: { ...keeper, started: '' }, servers: { ...portOf('mongodb'), ...portOf('nats') } });
}

function portOf(name: 'mongodb' | 'nats') {
  const record = servers[name].record();
  return record ? { [name]: { port: record.port, ready: false, failures: 0 } } : {};
}

log(`keeping ${dir}`);
saveState();
for (let stopped = false; !stopped; ) {
  await keepWhileHeld();
  stopped = await withLock(join(dir, 'infra.lock'), async () => {
    if (runningHolders(dir).length > 0) return false;
    await stop();
    return true;
  });
}
log('stopped');
process.exit(0);
