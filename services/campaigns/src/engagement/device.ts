import Bowser from 'bowser';

export const devices = ['desktop', 'mobile', 'tablet', 'other'] as const;
export type Device = (typeof devices)[number];

/** The kind of device behind a User-Agent; `other` for image proxies and programs. */
export function deviceOf(userAgent: string): Device {
  if (userAgent === '') return 'other';
  const { type } = Bowser.getParser(userAgent).getPlatform();
  return devices.find((device) => device === type) ?? 'other';
}
