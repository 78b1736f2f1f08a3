import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { streams } from '@mp/contracts/streams';
import { eventually } from '@mp/test-kit/eventually';
import { createNatsOperator } from '@mp/test-kit/nats-credentials';
import { startNatsServers } from '@mp/test-kit/nats-servers';
import { pino } from 'pino';
import { createBroker } from './broker.ts';
import { logSettings } from './logger.ts';
import type { NatsFiles } from './nats-address.ts';

const run = promisify(execFile);
const openssl = (...args: string[]) => run('openssl', args);
const withoutOpenssl = await openssl('version').then(
  () => false,
  () => 'openssl not found',
);

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** A broker, and the lines that it logs. */
function brokerOf(t: TestContext, url: string, files: NatsFiles) {
  const lines: string[] = [];
  const logger = pino(logSettings('contacts', 'warn'), { write: (line: string) => void lines.push(line) });
  const broker = createBroker({ url, files, service: 'contacts', logger });
  t.after(() => broker.stop());
  broker.start();
  return { broker, logged: (text: string) => eventually(async () => lines.some((line) => line.includes(text))) };
}

test('a service signs in with the JWT of a credentials file, and with a new one as soon as the file is replaced', async (t) => {
  const folder = await folderOf(t);
  const [former, next] = [createNatsOperator(), createNatsOperator()];
  const file = join(folder, 'contacts.creds');
  const files = { NATS_CREDS_FILE: file };
  await writeFile(file, former.credentials('contacts'));
  const nats = await startNatsServers(t, { config: former.config, files });
  const { broker } = brokerOf(t, nats.url, files);
  await broker.ensureStream(streams.contacts);
  assert.equal((await broker.publish('contacts.test', '{}', 'one')).sequence, 1);

  // Neither a server that no longer accepts the JWT nor a file that is being written ends the attempts.
  await nats.kill(0);
  nats.configure(next.config);
  await writeFile(file, 'half of');
  await nats.start(0);
  await eventually(async () => !broker.ready());
  await writeFile(`${file}.new`, next.credentials('contacts'));
  await rename(`${file}.new`, file);
  await eventually(async () => broker.ready());
  await broker.ensureStream(streams.contacts);
  assert.ok((await broker.publish('contacts.test', '{}', 'two')).sequence > 0);
});

test('a credentials file that is missing or belongs to another account is reported until it is corrected', async (t) => {
  const folder = await folderOf(t);
  const operator = createNatsOperator();
  const [good, file] = [join(folder, 'good.creds'), join(folder, 'contacts.creds')];
  await writeFile(good, operator.credentials('contacts'));
  const nats = await startNatsServers(t, { config: operator.config, files: { NATS_CREDS_FILE: good } });
  const { broker, logged } = brokerOf(t, nats.url, { NATS_CREDS_FILE: file });
  await logged('no such file');
  await writeFile(file, createNatsOperator().credentials('contacts'));
  await logged('Authorization Violation');
  await writeFile(file, operator.credentials('contacts'));
  await broker.connected();
  assert.equal(broker.ready(), true);
});

test('NATS is reached over TLS with a private CA and a client certificate, and never without', { skip: withoutOpenssl }, async (t) => {
  const folder = await folderOf(t);
  const at = (name: string) => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const ca of ['ca', 'other'])
    await openssl('req', '-x509', ...key, '-subj', `/CN=${ca}`, '-days', '1', '-keyout', at(`${ca}.key`), '-out', at(`${ca}.crt`));
  // The NATS client verifies the certificate of an address without a name as that of localhost.
  await writeFile(at('names'), 'subjectAltName=DNS:localhost');
  for (const name of ['server', 'client']) {
    await openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`));
    const signed = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1', '-extfile', at('names')];
    await openssl('x509', '-req', '-in', at(`${name}.csr`), ...signed, '-out', at(`${name}.crt`));
  }
  const operator = createNatsOperator();
  await writeFile(at('contacts.creds'), operator.credentials('contacts'));
  const files = {
    NATS_CREDS_FILE: at('contacts.creds'),
    NATS_CA_FILE: at('ca.crt'),
    NATS_CERT_FILE: at('client.crt'),
    NATS_KEY_FILE: at('client.key'),
  };
  const tls = `tls { cert_file: "${at('server.crt')}", key_file: "${at('server.key')}", ca_file: "${at('ca.crt')}", verify: true }`;
  const nats = await startNatsServers(t, { config: `${operator.config}\n${tls}`, files });
  const { broker } = brokerOf(t, nats.url, files);
  await broker.ensureStream(streams.contacts);
  assert.equal((await broker.publish('contacts.test', '{}')).sequence, 1);

  await brokerOf(t, nats.url, { ...files, NATS_CA_FILE: at('other.crt') }).logged('certificate');
  const { NATS_CERT_FILE, NATS_KEY_FILE, ...anonymous } = files;
  await brokerOf(t, nats.url, anonymous).logged('NATS is unavailable');
  const plain = await startNatsServers(t, { config: operator.config, files: { NATS_CREDS_FILE: files.NATS_CREDS_FILE } });
  const refused = brokerOf(t, plain.url, files);
  await refused.logged('NATS is unavailable');
  assert.equal(refused.broker.ready(), false);
});
