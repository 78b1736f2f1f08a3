// A small service with health routes that logs like the real ones and fails on request.
import { createServer } from 'node:http';

const { PORT, DIE_AT_START, READY_AFTER_MS = '0' } = process.env;
if (DIE_AT_START) {
  console.error('this fixture was told to die');
  process.exit(3);
}

const readyAt = Date.now() + Number(READY_AFTER_MS);
const log = (level: number, msg: string) => console.log(JSON.stringify({ level, msg, pid: process.pid }));

const server = createServer((request, response) => {
  if (request.url === '/pid') response.end(String(process.pid));
  else if (request.url === '/warn') response.end(log(40, 'a warning'));
  else response.writeHead(Date.now() >= readyAt ? 200 : 503).end();
});
server.listen(Number(PORT), '127.0.0.1', () => log(30, 'listening'));

process.on('SIGTERM', () => {
  log(30, 'draining');
  setTimeout(() => process.exit(0), 300);
});
