import Bowser from 'bowser';
import { isbot } from 'isbot';

export type Device = { bot: boolean; device: string | null; browser: string | null; os: string | null };

const noDevice: Device = { bot: false, device: null, browser: null, os: null };

/** The size of the cache: parsing a user agent costs more than storing its event, and many requests share a few of them. */
const maxKnown = 5_000;
const known = new Map<string, Device>();

/** Parses a User-Agent into device, browser and operating system, and detects automated clients. */
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
  if (known.size >= maxKnown) known.clear();
  known.set(userAgent, device);
  return device;
}
