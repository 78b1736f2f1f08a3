import { setTimeout as pause } from 'node:timers/promises';
import type { startPlatform } from './platform.ts';

const robots = 16;
/** Together about 200 submissions a second. */
const robotPauseMs = 60;

const aForm = (name: string) => ({
  name,
  fields: [{ field: 'email', type: 'email', label: { en: 'Email' }, required: true }],
  consents: [{ key: 'news', channel: 'email', text: { en: 'Yes' } }],
  sender: { email: 'news@example.com' },
});

const networkOf = (number: number) => `${11 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}.7`;

/** Two accounts with a form each, and robots that flood one of them, each submission from a network of its own. */
export async function createFormFlood(platform: Awaited<ReturnType<typeof startPlatform>>) {
  const victim = await platform.client('--permission', 'read_write', '--account', 'victim');
  const quiet = await platform.client('--permission', 'read_write', '--account', 'quiet');
  const limits = { submissions_per_hour: 500, confirmations_per_hour: 50 };
  const { data: attacked } = await victim.post('/v2/contacts/forms', { ...aForm('Attacked'), limits });
  const unlimited = { submissions_per_hour: 100_000, confirmations_per_hour: 100_000 };
  const { data: own } = await quiet.post('/v2/contacts/forms', { ...aForm('Own'), limits: unlimited });

  let visitors = 0;
  const fromNewNetwork = () => {
    visitors += 1;
    return { 'x-forwarded-for': networkOf(visitors) };
  };
  const submit = (url: string, email: string) =>
    fetch(`${url}/submissions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...fromNewNetwork() },
      body: JSON.stringify({ fields: { email }, consents: ['news'] }),
    });

  return {
    victim,
    quiet,
    attacked,
    limits,
    submitToQuiet: (email: string) => submit(own.url, email),
    openQuietForm: () => fetch(own.url, { headers: fromNewNetwork() }),

    /** Sends so many submissions. `over` resolves to how often each status was the response. */
    flood(count: number) {
      const statuses = new Map<number, number>();
      let sent = 0;
      const robot = async () => {
        while (sent < count) {
          sent += 1;
          const { status } = await submit(attacked.url, `flood${sent}@victim.example`);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          await pause(robotPauseMs);
        }
      };
      const over = Promise.all(Array.from({ length: robots }, robot)).then(() => statuses);
      return { over, isOn: () => sent < count };
    },
  };
}
