import { createHash } from 'node:crypto';
import type { ServerKind } from './server.ts';

export const nats: ServerKind = {
  name: 'nats',
  program: 'nats-server',
  ports: [24200, 24299],
  patienceMs: 10_000,
  url: (port) => `nats://127.0.0.1:${port}`,
  args: ({ folder, port }) => [
    ...['--addr', '127.0.0.1', '--port', String(port), '--name', nameOf(folder)],
    ...['--jetstream', '--store_dir', folder],
  ],
  async prepare(port, folder) {
    const server = await requestJetStream(`nats://127.0.0.1:${port}`, 1_000);
    if (server !== nameOf(folder)) throw new Error(`port ${port} belongs to another nats-server`);
  },
};

const nameOf = (folder: string) => createHash('sha256').update(folder).digest('hex').slice(0, 16);

/** Throws unless `url` leads to a NATS server with JetStream enabled. */
export async function checkNats(url: string): Promise<void> {
  try {
    await requestJetStream(url, 5_000);
  } catch (error) {
    throw new Error(`NATS_URL cannot be used: ${error instanceof Error ? error.message : error}`);
  }
}

/** Throws unless JetStream responds. Returns the name of the server. */
async function requestJetStream(url: string, timeout: number): Promise<string | undefined> {
  const { connect } = await import('@nats-io/transport-node');
  const urls = url.split(',').map((part) => new URL(part.trim()));
  const { username, password } = urls.find((part) => part.username !== '') ?? { username: '', password: '' };
  const named = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const connection = await connect({ servers: urls.map(({ host }) => host), ...named, timeout, reconnect: false });
  try {
    const response = await connection.request('$JS.API.INFO', undefined, { timeout });
    if (!('streams' in Object(response.json()))) throw new Error('JetStream is not enabled');
    return connection.info?.server_name;
  } catch (error) {
    throw error instanceof Error && error.name === 'NoRespondersError' ? new Error('JetStream is not enabled') : error;
  } finally {
    await connection.close();
  }
}
