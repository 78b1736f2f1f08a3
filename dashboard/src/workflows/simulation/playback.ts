import { useEffect, useState } from 'react';
import { relative } from '../../time/relative.ts';

export type LogEntry = { at: string; step_id: string | null; event: string; text: string };

/** How long each entry is shown while playing. */
const beatMs = 900;

/** A place in a log, from its first entry to its last, which can be played. */
export type Playback = {
  /** How many entries have happened. */
  position: number;
  length: number;
  isPlaying: boolean;
  goTo: (position: number) => void;
  play: () => void;
  pause: () => void;
};

/** Starts at the end, and stays there while the log grows. */
export function usePlayback(length: number): Playback {
  const [chosen, setChosen] = useState<number | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const position = Math.min(chosen ?? length, length);
  const show = (next: number) => setChosen(next >= length ? null : Math.max(1, next));

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      const next = position + 1;
      setChosen(next >= length ? null : next);
      if (next >= length) setPlaying(false);
    }, beatMs);
    return () => clearTimeout(timer);
  }, [isPlaying, position, length]);

  return {
    position,
    length,
    isPlaying,
    goTo: (next) => {
      setPlaying(false);
      show(next);
    },
    play: () => {
      if (position >= length) show(1);
      setPlaying(length > 1);
    },
    pause: () => setPlaying(false),
  };
}

/** The step that a run is at after these entries. */
export const currentStep = (log: readonly LogEntry[]) => log.findLast(({ step_id }) => step_id !== null)?.step_id ?? null;

/** The messages that were sent by the end of this log: a step sends one each time it is done. */
export function sentBy<Message extends { step_id: string }>(messages: readonly Message[], log: readonly LogEntry[]): Message[] {
  const left = new Map<string, number>();
  for (const { step_id, event } of log) if (step_id !== null && event === 'done') left.set(step_id, (left.get(step_id) ?? 0) + 1);
  return messages.filter(({ step_id }) => {
    const count = left.get(step_id) ?? 0;
    left.set(step_id, count - 1);
    return count > 0;
  });
}

/** The time since the start of a run: "in 3 days". */
export const sinceStart = (began: string, at: string) =>
  Date.parse(at) - Date.parse(began) < 60_000 ? 'immediately' : relative(at, Date.parse(began));
