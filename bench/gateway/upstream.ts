import { createServer } from 'node:http';

/** The service behind every measured gateway: it returns the same small JSON to every request. */
const body = JSON.stringify({
  success: true,
  data: { id: 'contact_01kjn2v0a7e8ws3q4m5x6y7z8a', email: 'ada@example.com', first_name: 'Ada', created_at: '2026-03-01T12:00:00.000Z' },
});
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };

const server = createServer((req, res) => {
  req.resume();
  res.writeHead(200, headers).end(body);
});
server.keepAliveTimeout = 75_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));
