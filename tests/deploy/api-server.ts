import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@mp/local-infra/free-port';
import { pathOf } from '@mp/local-infra/test-tools';
import { eventually } from '@mp/test-kit/eventually';
import type { KubernetesObject } from './chart.ts';

/** The programs of a Kubernetes control plane without nodes. */
export const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;

const token = 'administrator';

/**
 * A real Kubernetes API server with its controllers on loopback, with the same admission, defaults, validation and
 * reconciliation as a cluster. No pods run: `reportPods` reports them as healthy in place of the kubelets.
 */
export async function startApiServer(t: { after: (cleanUp: () => Promise<void>) => void }) {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  const children: ChildProcess[] = [];
  let over = false;
  t.after(async () => {
    over = true;
    for (const child of children.reverse()) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGKILL')) await gone;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  function start(program: (typeof programs)[number], args: readonly string[]) {
    const child = spawn(pathOf(program) ?? program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(join(folder, `${program}.log`));
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    children.push(child);
  }

  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const [etcdUrl, peerUrl, url] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`, `https://127.0.0.1:${port}`];
  start('etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl, '--listen-peer-urls', peerUrl],
    ...['--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`],
  ]);

  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const accountKey = join(folder, 'service-accounts.pem');
  await writeFile(accountKey, privateKey);
  await writeFile(join(folder, 'tokens.csv'), `${token},administrator,1,system:masters\n`);
  start('kube-apiserver', [
    ...['--etcd-servers', etcdUrl, '--cert-dir', folder, '--token-auth-file', join(folder, 'tokens.csv')],
    ...['--bind-address', '127.0.0.1', '--advertise-address', '127.0.0.1', '--secure-port', `${port}`],
    ...['--service-cluster-ip-range', '10.96.0.0/16', '--endpoint-reconciler-type', 'none', '--authorization-mode', 'RBAC'],
    ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', accountKey],
    ...['--service-account-signing-key-file', accountKey],
  ]);

  const certificate = join(folder, 'apiserver.crt');
  /** Sends a request to the API server. Throws with its message if the status is not 2xx. */
  async function send(method: string, path: string, body?: object, contentType = 'application/json'): Promise<KubernetesObject> {
    const ca = await readFile(certificate, 'utf8');
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
      const asking = request(url + path, { method, ca, headers }, (response) => {
        let received = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          received += chunk;
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text: received }));
      });
      asking.once('error', reject);
      asking.end(body && JSON.stringify(body));
    });
    if (status >= 300) throw new Error(`${method} ${path} → ${status}: ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : text;
  }

  await eventually(() =>
    send('GET', '/readyz').then(
      () => true,
      () => false,
    ),
  ).catch(async (error: Error) => {
    const log = await readFile(join(folder, 'kube-apiserver.log'), 'utf8');
    throw new Error(`${error.message}\n${log.slice(-3_000)}`);
  });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'local', cluster: { server: url, 'certificate-authority': certificate } }],
      users: [{ name: 'administrator', user: { token } }],
      contexts: [{ name: 'local', context: { cluster: 'local', user: 'administrator' } }],
      'current-context': 'local',
    }),
    { mode: 0o600 },
  );
  start('kube-controller-manager', [
    ...['--kubeconfig', kubeconfig, '--service-account-private-key-file', accountKey],
    ...['--leader-elect=false', '--bind-address', '127.0.0.1', '--secure-port', '0'],
  ]);

  /** In place of the kubelets, reports every pod of the namespace as ready, or as succeeded if it belongs to a job. */
  async function reportPods(namespace: string) {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    while (!over) {
      const { items } = await send('GET', `${pods}?fieldSelector=status.phase=Pending`).catch((error: Error) => {
        if (over) return { items: [] };
        throw error;
      });
      for (const { metadata, spec } of items) {
        const status = spec.restartPolicy === 'Never' ? ended() : ready();
        // The pod may have been deleted in the meantime.
        await send('PATCH', `${pods}/${metadata.name}/status`, { status }, 'application/merge-patch+json').catch(() => undefined);
      }
      await sleep(100);
    }
  }

  return { send, kubeconfig, reportPods };
}

function statusOf(phase: 'Running' | 'Succeeded', isReady: 'True' | 'False') {
  const at = new Date().toISOString();
  const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: at });
  const conditions = [
    ...['PodScheduled', 'Initialized'].map((type) => condition(type, 'True')),
    ...['ContainersReady', 'Ready'].map((type) => condition(type, isReady)),
  ];
  return { phase, startTime: at, conditions };
}

const ready = () => statusOf('Running', 'True');
const ended = () => statusOf('Succeeded', 'False');
