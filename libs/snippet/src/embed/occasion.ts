import { readLocally, storeLocally } from '../page/local-store.ts';

const dayMs = 86_400_000;

/** Whether and when a form was shown in this browser. Once it was submitted or closed, it is not shown again. */
export function createMemory(form: string, again: string | undefined) {
  const name = `mp_form_${form}`;
  const days = Number(again ?? Number.POSITIVE_INFINITY);

  return {
    /** Whether the form may be shown now. Never where that cannot be remembered: it would come on every page. */
    isDue(): boolean {
      const before = readLocally(name) ?? '';
      if (before !== '' && !(Number(before) + days * dayMs <= Date.now())) return false;
      storeLocally(name, before);
      return readLocally(name) === before;
    },

    begin: () => storeLocally(name, String(Date.now())),
    end: (how: 'submitted' | 'closed') => readLocally(name) !== 'submitted' && storeLocally(name, how),
  };
}

export type Occasions = { delay?: string | undefined; scroll?: string | undefined; exit?: string | undefined };

/**
 * Calls back once, at the first of these: after some seconds, at a scroll depth in percent, or when the pointer leaves the page at its top.
 * At once if there are none.
 */
export function onOccasion({ delay, scroll, exit }: Occasions, callBack: () => void) {
  const listening = new AbortController();
  const { signal } = listening;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const occur = () => {
    if (signal.aborted) return;
    listening.abort();
    clearTimeout(timer);
    callBack();
  };

  if (delay === undefined && scroll === undefined && exit === undefined) return occur();
  if (delay !== undefined) timer = setTimeout(occur, Number(delay) * 1_000);
  if (scroll !== undefined) {
    const look = () => {
      const { scrollHeight } = document.documentElement;
      if (((scrollY + innerHeight) / scrollHeight) * 100 >= Number(scroll)) occur();
    };
    addEventListener('scroll', look, { passive: true, signal });
  }
  if (exit !== undefined)
    document.addEventListener('mouseout', ({ relatedTarget, clientY }) => !relatedTarget && clientY <= 0 && occur(), { signal });
}
