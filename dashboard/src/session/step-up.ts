import { RequestFailed } from '../api/errors.ts';

/** The requests that wait until the user has confirmed who they are. One dialog serves all of them. */
let waiting: ((confirmed: boolean) => void)[] = [];
const listeners = new Set<() => void>();

const changed = () => {
  for (const listener of listeners) listener();
};

export const stepUp = {
  /** Opens the dialog. Resolves to whether the user confirmed. */
  request: () =>
    new Promise<boolean>((resolve) => {
      waiting = [...waiting, resolve];
      changed();
    }),
  settle(confirmed: boolean) {
    const settled = waiting;
    waiting = [];
    changed();
    for (const resolve of settled) resolve(confirmed);
  },
  isRequested: () => waiting.length > 0,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/** Whether the user must first confirm who they are. */
export const isUnconfirmed = (error: unknown) => error instanceof RequestFailed && error.code === 'SECOND_FACTOR_REQUIRED';

/** Sends a request, and again once the user has confirmed, if that is required first. */
export async function confirmed<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!isUnconfirmed(error) || !(await stepUp.request())) throw error;
    return send();
  }
}
