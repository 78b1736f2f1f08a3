import getPort, { portNumbers } from 'get-port';

let last = 10_000 + (process.pid % 1_000) * 20;

/** A free port from a range of this process, below the system's ephemeral ports, so that concurrent processes never get the same one. */
export async function freePort(): Promise<number> {
  last = await getPort({ port: portNumbers(last + 1, 31_999), host: '127.0.0.1' });
  return last;
}
