import { connect } from 'node:net';

export type RawResponse = { status: number; headers: Record<string, string>; body: string; text: string };

/** Sends raw bytes and returns everything received until the connection ends. `onData` is called for each piece received. */
export function rawExchange(url: string, bytes: string | readonly string[], onData = () => {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, async () => {
      for (const part of [bytes].flat()) {
        await new Promise((sent) => socket.write(part, 'latin1', sent));
        await new Promise((later) => setImmediate(later));
      }
    });
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      onData();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

/** Parses the received responses; header names are in lower case. Bodies must have a Content-Length. */
export function rawResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    responses.push({ status: Number(line.split(' ')[1]), headers, body, text: rest.slice(0, end + 4 + length) });
    rest = end === -1 ? '' : rest.slice(end + 4 + length);
  }
  return responses;
}

/** Sends one request and returns its response. */
export async function rawRequest(url: string, bytes: string | readonly string[]): Promise<RawResponse> {
  const [response] = rawResponses(await rawExchange(url, bytes));
  if (!response) throw new Error('The connection ended without a response.');
  return response;
}
