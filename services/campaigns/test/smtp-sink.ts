import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** How the server handles one email to one address. */
export type Behaviour =
  | 'take'
  /** Rejects the address with this code, such as 450 or 550. */
  | { rcpt: number; text?: string }
  /** Rejects the email after its content, at once or when `until` resolves. */
  | { data: number; text?: string; until?: Promise<void> }
  /**
   * Receives the content and drops the connection without a response, at once or when `until` resolves. `kept`: whether
   * it stores the email.
   */
  | { drop: 'in_data'; kept: boolean; until?: Promise<void> }
  /** Never responds to the address or to the content. */
  | { stall: 'rcpt' | 'data' }
  /** Accepts it after a delay. */
  | { slowMs: number }
  /** Accepts it when `until` resolves. */
  | { until: Promise<void> };

export type Received = { to: string; from: string; raw: Buffer; at: number };

export type SmtpSink = Awaited<ReturnType<typeof startSmtpSink>>;

type Config = { behave?: (address: string, attempt: number) => Behaviour; port?: number; maxBytes?: number };

/** A real SMTP server that records every email it accepts, and misbehaves on request. */
export async function startSmtpSink(t: Pick<TestContext, 'after'>, { behave = () => 'take', port = 0, maxBytes }: Config = {}) {
  const received: Received[] = [];
  const attempts = new Map<string, number>();
  const sockets = new Map<string, Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let current = behave;

  const refusal = (responseCode: number, text = 'refused') => Object.assign(new Error(text), { responseCode });

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 50,
    ...(maxBytes !== undefined && { size: maxBytes }),
    onRcptTo({ address }, _session, done) {
      const attempt = (attempts.get(address) ?? 0) + 1;
      attempts.set(address, attempt);
      const behaviour = current(address, attempt);
      if (typeof behaviour === 'object' && 'rcpt' in behaviour) return done(refusal(behaviour.rcpt, behaviour.text));
      if (typeof behaviour === 'object' && 'stall' in behaviour && behaviour.stall === 'rcpt') return;
      done();
    },
    onData(stream, { id, envelope }, done) {
      // A client that dies midway has sent nothing.
      const taken = (raw: Buffer) => {
        const to = envelope.rcptTo[0]?.address ?? '';
        const behaviour = current(to, attempts.get(to) ?? 1);
        const keep = () => received.push({ to, from: envelope.mailFrom ? envelope.mailFrom.address : '', raw, at: Date.now() });
        if (typeof behaviour === 'object') {
          if ('data' in behaviour) {
            void Promise.resolve(behaviour.until).then(() => done(refusal(behaviour.data, behaviour.text)));
            return;
          }
          if ('stall' in behaviour) return;
          if ('drop' in behaviour) {
            if (behaviour.kept) keep();
            void Promise.resolve(behaviour.until).then(() => sockets.get(id)?.destroy());
            return;
          }
          if ('until' in behaviour) {
            void behaviour.until.then(() => {
              keep();
              done();
            });
            return;
          }
          if ('slowMs' in behaviour) {
            const timer = setTimeout(() => {
              timers.delete(timer);
              keep();
              done();
            }, behaviour.slowMs);
            timers.add(timer);
            return;
          }
        }
        keep();
        done();
      };
      buffer(stream).then(taken, done);
    },
    onConnect(session, done) {
      const connection = [...connections].find((socket) => socket.remotePort === session.remotePort);
      if (connection) sockets.set(session.id, connection);
      done();
    },
  });
  const connections = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address() as AddressInfo;

  let closed: Promise<void> | undefined;
  const close = () => {
    for (const timer of timers) clearTimeout(timer);
    for (const socket of connections) socket.destroy();
    closed ??= new Promise<void>((resolve) => server.close(() => resolve()));
    return closed;
  };
  t.after(close);

  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    received,
    attempts,
    behave: (next: (address: string, attempt: number) => Behaviour) => {
      current = next;
    },
    /** Stops the server; a new one can be started on its port. */
    close,
    to: (email: string) => received.filter(({ to }) => to === email),
    async mailTo(email: string): Promise<Email | undefined> {
      const [first] = received.filter(({ to }) => to === email);
      return first && PostalMime.parse(first.raw);
    },
  };
}
