const dayMs = 86_400_000;

/** A generated event, as an independent count sees it. */
export type GeneratedEvent = { person: string; visitor: string; name: string; at: number; id: string };

/** A repeatable sequence of numbers from 0 to 1. */
export function randomNumbers(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Visits, sign-ups and purchases. */
export const randomEventName = (chance: number) => (chance < 0.7 ? '$pageview' : chance < 0.9 ? 'signup' : 'purchase');

const byPerson = (events: readonly GeneratedEvent[]) =>
  [...Map.groupBy(events, ({ person }) => person).values()].map((own) => own.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));

/** The people who visited, then signed up, then purchased within a window: how many reached each step. */
export function countFunnel(events: readonly GeneratedEvent[], windowMs: number): number[] {
  const people = [0, 0, 0];
  for (const own of byPerson(events)) {
    const reached = own.map((visit, index) => {
      if (visit.name !== '$pageview') return 0;
      const within = own.slice(index + 1).filter(({ at }) => at - visit.at <= windowMs);
      const signup = within.findIndex(({ name }) => name === 'signup');
      if (signup === -1) return 1;
      return within.slice(signup + 1).some(({ name }) => name === 'purchase') ? 3 : 2;
    });
    const best = Math.max(...reached);
    for (const step of [0, 1, 2]) if (best > step) people[step] = (people[step] ?? 0) + 1;
  }
  return people;
}

/** For each day: the people who signed up, and how many of them purchased that day and on each day after. */
export function countRetention(events: readonly GeneratedEvent[], start: number, days: number): [people: number, returned: number[]][] {
  const cohorts = Array.from({ length: days }, (_, day): [number, number[]] => [0, Array<number>(days - day).fill(0)]);
  for (const own of byPerson(events)) {
    const first = own.findIndex(({ name }) => name === 'signup');
    const day = Math.floor(((own[first]?.at ?? 0) - start) / dayMs);
    const cohort = first === -1 ? undefined : cohorts[day];
    if (!cohort) continue;
    cohort[0] += 1;
    const purchases = own.slice(first + 1).filter(({ name }) => name === 'purchase');
    for (const later of new Set(purchases.map(({ at }) => Math.floor((at - start) / dayMs) - day)))
      cohort[1][later] = (cohort[1][later] ?? 0) + 1;
  }
  return cohorts;
}

/** The visitors and events of a range, of one event or of all. */
export function countRange(events: readonly GeneratedEvent[], from: number, to: number, name?: string) {
  const own = events.filter((one) => one.at >= from && one.at < to && (name === undefined || one.name === name));
  return { visitors: new Set(own.map(({ visitor }) => visitor)).size, events: own.length };
}
