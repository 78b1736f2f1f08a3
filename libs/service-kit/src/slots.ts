/** A fixed number of slots. Whoever finds none free waits for one, and urgent ones before the others. */
export function createSlots(count: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;

  return {
    async take(isUrgent = false) {
      if (taken < count) taken += 1;
      else await new Promise<void>((resolve) => (isUrgent ? waiting.unshift(resolve) : waiting.push(resolve)));
    },

    leave() {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    },
  };
}
