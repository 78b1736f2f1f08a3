import type { TestContext } from 'node:test';
import { receiver } from '../../services/workflows/test/receiver.ts';

type Received = { id: string; signature: string; authorization: string; body: string };

/** A receiver of webhooks on this machine, whose response the test chooses. */
export async function startReceiver(t: TestContext) {
  const state = { status: 200, received: [] as Received[], url: '' };
  state.url = await receiver(t, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { headers } = request;
    state.received.push({
      id: String(headers['webhook-id']),
      signature: String(headers['webhook-signature']),
      authorization: String(headers.authorization),
      body,
    });
    response.writeHead(state.status).end(state.status === 200 ? 'thanks' : 'not today');
  });
  return state;
}
