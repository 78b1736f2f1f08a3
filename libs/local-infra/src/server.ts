import type { Binary } from './binary.ts';

/** How to run a kind of server. */
export type ServerKind = {
  name: ServerName;
  program: string;
  /** The ports to try when none is configured and none was used before; below the system's ephemeral ports. */
  ports: readonly [from: number, to: number];
  args(launch: { binary: Binary; folder: string; port: number }): string[];
  url(port: number): string;
  /**
   * Completes the setup of a started server and resolves when it can be used; throws until then, and while the port belongs to
   * a server with another folder: two that start at the same moment may have chosen the same port.
   */
  prepare(port: number, folder: string): Promise<void>;
  /** Stops the server faster than a signal does, if possible. */
  requestShutdown?(port: number): Promise<void>;
  /** How long to wait for it to stop before it is killed. */
  patienceMs: number;
};

export const serverNames = ['mongodb', 'nats'] as const;
export type ServerName = (typeof serverNames)[number];
