import type { Binary } from './binary.ts';

/** What the keeper must know of a kind of server to run it. */
export type ServerKind = {
  name: ServerName;
  program: string;
  /** Tried when no port is asked for and none was used before: below the range the system hands out itself. */
  ports: readonly [from: number, to: number];
  args(launch: { binary: Binary; folder: string; port: number }): string[];
  url(port: number): string;
  /** Does what is left to do once the server answers, and returns when it can be used; throws while it cannot. */
  prepare(port: number): Promise<void>;
  /** Asks it to end in a quicker way than a signal does, where there is one. */
  askToEnd?(port: number): Promise<void>;
  /** How long it may take to end before it is killed. */
  patienceMs: number;
};

export const serverNames = ['mongodb', 'nats'] as const;
export type ServerName = (typeof serverNames)[number];
