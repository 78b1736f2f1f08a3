import Bowser from 'bowser';
import { isbot } from 'isbot';

export type Device = { bot: boolean; device: string | null; browser: string | null; os: string | null };

const noDevice: Device = { bot: false, device: null, browser: null, os: null };

/** Most calls come with few user agents; parsing one costs more than storing its event. */
const most = 5_000;
const known = new Map<string, Device>();

/** What a User-Agent says about the device behind it, and whether that is a machine of its own will. */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) return noDevice;
  const seen = known.get(userAgent);
  if (seen) return seen;
  const { browser, os, platform } = Bowser.parse(userAgent);
  const device: Device = {
    bot: isbot(userAgent),
    device: platform.type ?? null,
    browser: browser.name || null,
    os: os.name ?? null,
  };
  if (known.size >= most) known.clear();
  known.set(userAgent, device);
  return device;
}
