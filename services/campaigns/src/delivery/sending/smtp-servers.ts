import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import type { Smtp } from './smtp-connections.ts';
import type { Delivery } from './smtp-outcome.ts';

/** A mail server, and its share of the emails relative to the others. */
export type MailServer = { url: string; weight: number };

const maxWeight = 1_000;

/** The mail servers in a text, separated by spaces. `?weight=` is not part of the URL. Undefined if one of them is not valid. */
export function mailServersOf(text: string): MailServer[] | undefined {
  const servers = text
    .trim()
    .split(/\s+/)
    .map((part) => {
      if (!/^smtps?:\/\/./.test(part) || !URL.canParse(part)) return undefined;
      const url = new URL(part);
      const weight = Number(url.searchParams.get('weight') ?? 1);
      if (!Number.isInteger(weight) || weight < 1 || weight > maxWeight) return undefined;
      if (!url.searchParams.has('weight')) return { url: part, weight };
      url.searchParams.delete('weight');
      return { url: url.href, weight };
    });
  return servers.every((server) => server !== undefined) ? servers : undefined;
}

type Member = { smtp: Smtp; weight: number; name: string };
type Config = { logger: Pick<Logger, 'warn' | 'info'>; random?: () => number; now?: () => number };

/** A server that could not be reached is left out for a second, then twice as long each time. */
const firstRestMs = 1_000;
const maxRestMs = 60_000;

/**
 * Several mail servers as one. Each email goes to one of them, by weight; if that cannot be reached, to the next, as long as
 * nothing of it was sent. An email without a response is not sent to another server: what it waits for may be its recipient.
 */
export function createSmtpServers(members: readonly Member[], { logger, random = Math.random, now = Date.now }: Config): Smtp {
  const servers = members.map((member) => ({
    ...member,
    failures: 0,
    downUntil: 0,
    log: createFailureLog(logger, `the mail server ${member.name} is unavailable; using the others`),
  }));
  type Server = (typeof servers)[number];

  /** By weight and chance, each server once. */
  function shuffled(some: readonly Server[]): Server[] {
    const left = [...some];
    const order: Server[] = [];
    while (left.length > 0) {
      let share = random() * left.reduce((sum, { weight }) => sum + weight, 0);
      const index = left.findIndex(({ weight }) => {
        share -= weight;
        return share < 0;
      });
      order.push(...left.splice(Math.max(0, index), 1));
    }
    return order;
  }

  /** The servers to try: those that can be reached, or else the one that is due for a try first. */
  function candidates(): Server[] {
    const at = now();
    const up = servers.filter(({ downUntil }) => downUntil <= at);
    return up.length > 0 ? shuffled(up) : servers.toSorted((a, b) => a.downUntil - b.downUntil).slice(0, 1);
  }

  const restOf = ({ failures }: Server) => Math.min(maxRestMs, firstRestMs * 2 ** failures);

  return {
    async deliver(envelope, raw, handover) {
      let last: Delivery | undefined;
      for (const server of candidates()) {
        // After a failure one email tries it, and not all that are due.
        if (server.failures > 0) server.downUntil = now() + restOf(server);
        last = await server.smtp.deliver(envelope, raw, handover);
        if (last?.kind !== 'unreachable') {
          if (last) server.log.succeeded();
          [server.failures, server.downUntil] = [0, 0];
          return last;
        }
        if (last.phase === 'timeout' || last.phase === 'late') return last;
        server.log.failed(new Error(last.error));
        server.downUntil = now() + restOf(server);
        server.failures += 1;
      }
      return last;
    },

    stop() {
      for (const { smtp } of servers) smtp.stop();
    },
  };
}
