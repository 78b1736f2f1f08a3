import type { FormValidateInput } from '@mantine/form';
import type { SendingSettings } from './sending-settings.ts';

export const maxEmails = 1_000;
export const maxDays = 90;
export const maxPerMinute = 1_000_000;
export const maxUnapproved = 1_000_000;
export const maxDeliveredHours = 720;

const wholeUpTo = (max: number) => (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
    ? null
    : `Enter a whole number from 1 to ${max.toLocaleString('en')}.`;

/** What can be checked before the settings are sent, with a message for each field. */
export const validateSending = {
  default_sender: {
    email: (email) => (email.trim() === '' ? 'Enter an address, or clear the name and reply-to.' : null),
  },
  delivered_after_hours: (hours) => (hours === null ? null : wholeUpTo(maxDeliveredHours)(hours)),
  quiet_hours: {
    from: (time) => (time === '' ? 'Enter a time.' : null),
    to: (time, { quiet_hours }) => (time === '' || time === quiet_hours?.from ? 'Enter a time other than the start.' : null),
    timezone: (zone) => (zone === '' ? 'Choose a time zone.' : null),
  },
  approval_above: (recipients, { approval }) => (approval === 'above' ? wholeUpTo(maxUnapproved)(recipients) : null),
  approval_segments: (segments, { approval }) => (approval === 'outside_segments' && segments.length === 0 ? 'Choose a segment.' : null),
  frequency_cap: { max_emails: wholeUpTo(maxEmails), days: wholeUpTo(maxDays) },
  topics: {
    name: (name) => (name.trim() === '' ? 'Enter a name.' : null),
    id: (id, { topics }) => {
      if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(id))
        return 'Use up to 64 lower-case letters, digits, _ and -, beginning with a letter or digit.';
      return topics.filter((topic) => topic.id === id).length > 1 ? 'Another topic has this ID.' : null;
    },
  },
  domain_throttles: {
    domain: (domain, { domain_throttles: all }, path) => {
      if (!/^[^\s@]+\.[^\s@]+$/.test(domain.trim())) return 'Enter a domain, such as example.com.';
      const { side } = all[Number(path.split('.')[1])] ?? {};
      const same = all.filter((other) => other.side === side && other.domain.trim().toLowerCase() === domain.trim().toLowerCase());
      return same.length > 1 ? 'This domain is already in the list.' : null;
    },
    per_minute: wholeUpTo(maxPerMinute),
  },
} satisfies FormValidateInput<SendingSettings>;

/** An ID for a topic with this name: `Product news` becomes `product-news`. */
export const topicIdFor = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64);
