import getPort, { portNumbers } from 'get-port';

let last = 10_000 + (process.pid % 1_000) * 20;

/** Counted up in a range of this process, and none the system gives to others: two processes at once never meet on one. */
export async function freePort(): Promise<number> {
  last = await getPort({ port: portNumbers(last + 1, 31_999), host: '127.0.0.1' });
  return last;
}
