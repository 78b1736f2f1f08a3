import { useEffect, useEffectEvent, useLayoutEffect, useReducer, useRef, useState } from 'react';
import { ConnectionLost } from '../api/errors.ts';

/** How a form is saved without its button. */
export type Autosave<Values> = {
  /** Whether it saves by itself. Otherwise it only saves before an action that needs what is saved. */
  isOn: boolean;
  /** Whether the API would accept the values. */
  isValid: boolean;
  save: (values: Values) => Promise<unknown>;
};

type State<Values> = { values: Values; isDirty: boolean; isPending: boolean };

/** A pause in typing, after which the form is saved. */
const restMs = 2_000;

/** Saves a form a moment after the last change, and when its page is left or hidden. What the API refused waits for the next change. */
export function useAutosave<Values>(autosave: Autosave<Values> | undefined, { values, isDirty, isPending }: State<Values>) {
  const [isAuto, setAuto] = useState(false);
  const [, render] = useReducer((renders: number) => renders + 1, 0);
  const canSave = autosave?.isValid === true && isDirty;
  const isOn = autosave?.isOn === true;
  const latest = useRef({ autosave, values, isDirty, isPending, canSave });
  const running = useRef<Promise<boolean>>(undefined);
  const failed = useRef<Values>(undefined);
  const rendering = useRef<(() => void)[]>([]);
  useLayoutEffect(() => {
    latest.current = { autosave, values, isDirty, isPending, canSave };
    for (const done of rendering.current.splice(0)) done();
  });
  /** Resolves when everything that was set so far is rendered, such as the revision to save over. */
  const rendered = () =>
    new Promise<void>((resolve) => {
      rendering.current.push(resolve);
      render();
    });

  const start = (): Promise<boolean> => {
    const { autosave: now, values: saving } = latest.current;
    if (!now) return Promise.resolve(false);
    setAuto(true);
    const saved = now.save(saving).then(
      () => true,
      (error: unknown) => {
        // Without a connection it is tried again after the same rest.
        if (!(error instanceof ConnectionLost)) failed.current = saving;
        return false;
      },
    );
    running.current = saved.then(async (isSaved) => {
      running.current = undefined;
      await rendered();
      return isSaved;
    });
    return running.current;
  };
  /** Saves what can be saved, and resolves to whether everything is saved. */
  const flush = async (): Promise<boolean> => {
    await running.current;
    if (!latest.current.isDirty) return true;
    return latest.current.canSave && !latest.current.isPending && (await start()) && !latest.current.isDirty;
  };

  const saveNow = useEffectEvent(() => {
    if (isOn && canSave && !isPending && !running.current && failed.current !== values) void start();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change starts the wait again, and so does the end of saving.
  useEffect(() => {
    if (!isOn || !canSave || isPending) return;
    const timer = setTimeout(() => saveNow(), restMs);
    return () => clearTimeout(timer);
  }, [values, isOn, canSave, isPending]);
  useEffect(() => {
    const hide = () => document.visibilityState === 'hidden' && saveNow();
    document.addEventListener('visibilitychange', hide);
    return () => document.removeEventListener('visibilitychange', hide);
  }, []);

  return { isAuto, setAuto, save: start, flush, leave: () => (isOn ? flush() : Promise.resolve(false)) };
}
