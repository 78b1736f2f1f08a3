// Accepts every email on port 1025 and lists them on port 8025 like the API of Mailpit: for compose.yaml where the Mailpit
// image cannot be pulled. Runs on any version of Node, without node_modules.
import { createServer as createWeb } from 'node:http';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const messages = [];

createServer((socket) => {
  const say = (line) => socket.write(`${line}\r\n`);
  let mail;
  let lines;
  socket.on('error', () => socket.destroy());
  say('220 mail stand-in');
  createInterface({ input: socket }).on('line', (line) => {
    if (lines) {
      if (line !== '.') return lines.push(line);
      const subject = lines.find((text) => /^subject:/i.test(text))?.replace(/^subject:\s*/i, '') ?? '';
      messages.unshift({ ID: String(messages.length + 1), ...mail, Subject: subject, Created: new Date().toISOString() });
      lines = undefined;
      return say('250 queued');
    }
    const address = /<([^>]*)>/.exec(line)?.[1];
    if (/^ehlo/i.test(line)) return socket.write('250-stand-in\r\n250 8BITMIME\r\n');
    if (/^mail from:/i.test(line)) mail = { From: { Address: address }, To: [] };
    if (/^rcpt to:/i.test(line)) mail.To.push({ Address: address });
    if (/^data/i.test(line)) {
      lines = [];
      return say('354 start mail input');
    }
    say(/^quit/i.test(line) ? '221 bye' : '250 ok');
    if (/^quit/i.test(line)) socket.end();
  });
}).listen(1025);

createWeb((request, response) => {
  const limit = Number(new URL(request.url, 'http://mail').searchParams.get('limit') ?? 50);
  const body = { total: messages.length, messages: messages.slice(0, limit) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}).listen(8025);

process.once('SIGTERM', () => process.exit(0));
