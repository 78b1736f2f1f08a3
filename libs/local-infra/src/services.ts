import { type RunningService, type Service, superviseService } from './service.ts';

type Options = { logs: string; watch?: boolean; show: (text: string) => void; gaveUp: (reason: string) => void };

export type RunningServices = ReturnType<typeof startServices>;

/** Starts all services concurrently. The order does not matter, because they retry their connections. */
export function startServices(list: readonly Service[], { logs, watch = false, show, gaveUp }: Options) {
  const running: RunningService[] = list.map((service, index) => superviseService(service, { logs, watch, index, show, gaveUp }));
  return {
    untilReady: (withinMs = 60_000) => Promise.all(running.map((service) => service.untilReady(withinMs))),
    stop: () => Promise.all(running.map((service) => service.stop())),
    kill: () => {
      for (const service of running) service.kill();
    },
  };
}
