import { type Mood, startMailSink } from '../mail-sink.ts';

export type MailSink = Awaited<ReturnType<typeof startSlowableSink>>;

/** A mail server that can be made slow, so that a campaign is still sending when the platform is killed. */
export async function startSlowableSink(t: Parameters<typeof startMailSink>[0]) {
  let slow = false;
  const mood: Mood = (mail) => (!slow ? 'take' : mail % 17 === 0 ? 'drop' : 'stall');
  const sink = await startMailSink(t, { mood, refuses: (receiver) => slow && receiver % 11 === 0 });
  return {
    ...sink,
    slow: (now: boolean) => {
      slow = now;
    },
  };
}
