import { useSyncExternalStore } from 'react';

export type Connection = ReturnType<typeof createConnection>;

/** Tracks whether the gateway can be reached, from the outcome of API calls. */
export function createConnection() {
  let isLost = false;
  const listeners = new Set<() => void>();
  const set = (lost: boolean) => {
    if (lost === isLost) return;
    isLost = lost;
    for (const listener of listeners) listener();
  };

  return {
    isLost: () => isLost,
    reached: () => set(false),
    unreachable: () => set(true),
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useIsLost = ({ subscribe, isLost }: Connection) => useSyncExternalStore(subscribe, isLost);
