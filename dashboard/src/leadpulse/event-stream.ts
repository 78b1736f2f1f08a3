import { useEffect, useState } from 'react';
import type { ListedEvent } from './leadpulse.ts';

type Message = { events: ListedEvent[]; more: number };

const maxShown = 50;

/** The newest events first, without those that are known. */
export function withNewest(shown: readonly ListedEvent[], { events }: Pick<Message, 'events'>): ListedEvent[] {
  const known = new Set(shown.map(({ id }) => id));
  return [...events.filter(({ id }) => !known.has(id)).toReversed(), ...shown].slice(0, maxShown);
}

/** The events of the account from now on, as they are counted. The browser reconnects automatically, and resumes where it stopped. */
export function useEventStream() {
  const [events, setEvents] = useState<ListedEvent[]>([]);
  const [skipped, setSkipped] = useState(0);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const source = new EventSource('/v2/leadpulse/events/stream');
    source.addEventListener('open', () => setOpen(true));
    source.addEventListener('error', () => setOpen(false));
    source.addEventListener('events', ({ data }) => {
      const message: Message = JSON.parse(data);
      setEvents((shown) => withNewest(shown, message));
      setSkipped((sum) => sum + message.more);
    });
    return () => source.close();
  }, []);
  return { events, skipped, isOpen };
}
