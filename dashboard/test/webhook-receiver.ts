import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

type Received = { id: string; signature: string; authorization: string; body: string };

/** A receiver of webhooks on this machine, whose response the test chooses. */
export async function startReceiver(t: TestContext) {
  const state = { status: 200, received: [] as Received[], url: '' };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { headers } = request;
    state.received.push({
      ...{ id: String(headers['webhook-id']), signature: String(headers['webhook-signature']) },
      ...{ authorization: String(headers.authorization), body },
    });
    response.writeHead(state.status).end(state.status === 200 ? 'thanks' : 'not today');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  state.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`;
  return state;
}
