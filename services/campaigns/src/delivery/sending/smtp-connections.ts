import { Readable } from 'node:stream';
import type { Logger } from '@mp/service-kit/logger';
import { inSpan } from '@mp/service-kit/traces';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type Delivery, deliveryOf } from './smtp-outcome.ts';

export type Envelope = { from: string; to: string };

/** What the worker decides while an email is handed over. */
export type Handover = {
  /** Called each time a connection is free to take the email. Returns false to withdraw it. */
  mayStart: () => Promise<boolean>;
  /**
   * Called at most once: when the mail server has accepted the recipient and waits for the content, before its first byte.
   * Returns the latest time (epoch milliseconds) at which the content may be sent, or undefined to withdraw the email.
   */
  beforeContent: () => Promise<number | undefined>;
};

export type Smtp = ReturnType<typeof createSmtp>;

type SmtpConfig = {
  /** Called for every new connection, because the local mailbox has no address until it listens. */
  url: () => Promise<string>;
  connections: number;
  /** The timeout for one email; after it, the connection is closed. */
  deliveryMs: number;
  logger: Logger;
};

const maxMessagesPerConnection = 500;
const idleMs = 10_000;

const late: Delivery = { kind: 'unreachable', error: 'The content was ready too late to be sent.', phase: 'late' };

type Open = { connection: SMTPConnection; sent: number; state: 'idle' | 'busy' | 'closed'; idleTimer?: NodeJS.Timeout };

/**
 * A pool of nodemailer's SMTP connections. nodemailer's own pool does not report whether a connection broke before or after
 * the email started to be sent. Here the email is a stream that is first read when the server responds 354, so it is known.
 */
export function createSmtp({ url, connections, deliveryMs, logger }: SmtpConfig) {
  const idle: Open[] = [];
  const waiting: (() => void)[] = [];
  let open = 0;

  function close(connected: Open) {
    if (connected.state === 'closed') return;
    connected.state = 'closed';
    clearTimeout(connected.idleTimer);
    const index = idle.indexOf(connected);
    if (index >= 0) idle.splice(index, 1);
    connected.connection.close();
    open -= 1;
    waiting.shift()?.();
  }

  async function connect(): Promise<Open> {
    const { auth, ...options } = parseConnectionUrl(await url());
    const connection = new SMTPConnection({
      ...options,
      connectionTimeout: Math.min(10_000, deliveryMs),
      greetingTimeout: Math.min(10_000, deliveryMs),
      // Longer than a connection is silent while its content is prepared. The mail server's part has a limit of its own.
      socketTimeout: 3 * deliveryMs,
      logger: false,
    });
    const connected: Open = { connection, sent: 0, state: 'busy' };
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject);
      connection.once('end', () => reject(new Error('The mail server closed the connection.')));
      connection.connect((error) => {
        if (error) return reject(error);
        if (!auth?.user) return resolve();
        connection.login({ user: auth.user, pass: auth.pass }, (refused) => (refused ? reject(refused) : resolve()));
      });
    }).catch((error: unknown) => {
      connection.removeAllListeners();
      connection.on('error', () => undefined);
      connection.close();
      throw error;
    });
    connection.removeAllListeners();
    // A connection that ends during a delivery is reported there.
    connection.on('error', () => undefined);
    connection.on('end', () => {
      if (connected.state === 'idle') close(connected);
    });
    return connected;
  }

  async function acquire(): Promise<Open> {
    for (;;) {
      const ready = idle.pop();
      if (ready) {
        clearTimeout(ready.idleTimer);
        ready.state = 'busy';
        return ready;
      }
      if (open < connections) {
        open += 1;
        try {
          return await connect();
        } catch (error) {
          open -= 1;
          waiting.shift()?.();
          throw error;
        }
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }

  function giveBack(connected: Open) {
    if (connected.sent >= maxMessagesPerConnection) {
      connected.connection.quit();
      return close(connected);
    }
    connected.state = 'idle';
    connected.idleTimer = setTimeout(() => close(connected), idleMs).unref();
    idle.push(connected);
    waiting.shift()?.();
  }

  /** Undefined if the email was withdrawn when the server was waiting for its content. Throws only what `beforeContent` throws. */
  function transmit({ connection }: Open, envelope: Envelope, raw: Uint8Array, beforeContent: Handover['beforeContent']) {
    let stage: 'envelope' | 'asking' | 'content' | 'over' = 'envelope';
    return new Promise<Delivery | undefined>((resolve, reject) => {
      const tooLate = () => end({ message: `The mail server did not respond within ${deliveryMs} ms.`, code: 'ETIMEDOUT' });
      let cut = setTimeout(tooLate, deliveryMs);
      function end(fault: Parameters<typeof deliveryOf>[0]) {
        const ended = stage;
        stop();
        if (ended !== 'over') resolve(ended === 'asking' ? late : deliveryOf(fault, ended === 'content'));
      }
      function stop() {
        stage = 'over';
        clearTimeout(cut);
      }
      async function ping() {
        stage = 'asking';
        clearTimeout(cut);
        const until = await beforeContent();
        if (stage !== 'asking') return;
        if (until === undefined || Date.now() > until) {
          stop();
          return resolve(until === undefined ? undefined : late);
        }
        stage = 'content';
        cut = setTimeout(tooLate, deliveryMs);
        message.push(raw);
        message.push(null);
      }
      const message = new Readable({
        read() {
          if (stage !== 'envelope') return;
          ping().catch((error: unknown) => {
            stop();
            reject(error);
          });
        },
      });
      connection.send({ ...envelope, size: raw.length }, message, (error, accepted) => {
        if (error) return end(error);
        stop();
        resolve({ kind: 'accepted', response: accepted?.response ?? '' });
      });
    });
  }

  /** After a response the connection is reused for the next email; after anything else it is closed. */
  function reuseOrClose(connected: Open, delivery: Delivery) {
    const { kind } = delivery;
    if (kind === 'accepted') return giveBack(connected);
    if (kind === 'unreachable' || kind === 'uncertain') return close(connected);
    if (kind === 'deferred' && delivery.isClosing) return close(connected);
    const cut = setTimeout(() => close(connected), deliveryMs).unref();
    connected.connection.reset((error) => {
      clearTimeout(cut);
      if (connected.state === 'closed') return;
      if (error) close(connected);
      else giveBack(connected);
    });
  }

  async function connected(): Promise<Open | Delivery> {
    try {
      return await acquire();
    } catch (error) {
      logger.debug({ err: error }, 'no connection to the mail server');
      return { kind: 'unreachable', error: error instanceof Error ? error.message : 'The mail server cannot be reached.' };
    }
  }

  return {
    /** Sends one email and returns the server's response, or undefined if it was withdrawn. Throws only what the handover throws. */
    async deliver(envelope: Envelope, raw: Uint8Array, { mayStart, beforeContent }: Handover): Promise<Delivery | undefined> {
      for (;;) {
        const open = await connected();
        if ('kind' in open) return open;
        let starts = false;
        try {
          starts = await mayStart();
        } finally {
          if (!starts) giveBack(open);
        }
        if (!starts) return undefined;
        const isFirst = open.sent === 0;
        open.sent += 1;
        const attributes = { 'network.protocol.name': 'smtp', 'email.size': raw.length };
        let delivery: Delivery | undefined;
        try {
          delivery = await inSpan('send email', { kind: 'client', attributes }, async (span) => {
            const result = await transmit(open, envelope, raw, beforeContent);
            span.setAttribute('email.outcome', result?.kind ?? 'withdrawn');
            return result;
          });
        } finally {
          // The server waits for a content that it will not get.
          if (!delivery) close(open);
        }
        if (!delivery) return undefined;
        reuseOrClose(open, delivery);
        // The server may have closed an idle connection, which does not mean that it is unreachable.
        if (delivery.kind !== 'unreachable' || delivery.phase === 'timeout' || delivery.phase === 'late' || isFirst) return delivery;
      }
    },

    stop() {
      for (const connected of [...idle]) {
        connected.connection.quit();
        close(connected);
      }
    },
  };
}
