import { Pool } from 'undici';
import { newSecret } from '../../services/gateway/src/credentials/token-format.ts';

/**
 * Sends `count` unknown keys with valid checksums, each from another client address, starting with address number `from`, as
 * a trusted proxy reports them. The memory of a gateway must not grow with their number.
 */
export async function sendWrongKeys(url: string, from: number, count: number): Promise<void> {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  let next = from;
  async function send() {
    while (next < from + count) {
      const index = next;
      next += 1;
      const address = [10, (index >> 16) & 255, (index >> 8) & 255, index & 255].join('.');
      const headers = { authorization: `Bearer ${newSecret('key')}`, 'x-forwarded-for': address };
      const { statusCode, body } = await pool.request({ method: 'GET', path: '/v2/me', headers });
      await body.dump();
      if (statusCode !== 401) throw new Error(`The response to an unknown key was ${statusCode}.`);
    }
  }
  await Promise.all(Array.from({ length: 64 }, send));
  await pool.close();
}
