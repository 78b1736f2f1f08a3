import { settingsRevision } from '@mp/service-kit/settings-revision';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { dayMs } from '../time/quarters.ts';
import { defaultRetentionDays, maxRetentionDays } from '../time/retention-days.ts';
import { defaultTraits, SegmentTrait } from './segment-traits.ts';

const maxBlocked = 100;
const maxNetworks = 100;
const maxTraits = 100;
const minRetentionDays = 30;
const minSessionMinutes = 5;
const maxSessionMinutes = 240;
const usualSessionMinutes = 30;
const maxHosts = 50;
const maxCurrencies = 50;

/** A host name, or one that begins with `*.` for all of its subdomains. */
const Host = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    'expected a host such as example.com or *.example.com',
  )
  .refine((host) => !host.startsWith('*.') || host.slice(2).includes('.'), 'expected a host such as example.com or *.example.com');

const isNetwork = (text: string) => ipaddr.isValidCIDR(text) || ipaddr.isValid(text);

/** An account's settings for events that are received from now on. */
export const LeadpulseSettings = z.object({
  blocked_properties: z
    .array(z.string().trim().min(1).max(200))
    .max(maxBlocked)
    .describe('Properties that are dropped before an event is stored. `card` also drops nested ones, such as `card.number`.'),
  store_networks: z.boolean().describe('Whether the network of the IP address (/24 or /48) is stored with an event.'),
  excluded_networks: z
    .array(z.string().trim().max(64).refine(isNetwork, 'expected an IP address or a CIDR range such as 203.0.113.0/24'))
    .max(maxNetworks)
    .describe('Addresses of internal traffic. Events of pages from there are rejected, and so are events with such a `context.ip`.'),
  retention_days: z
    .number()
    .int()
    .min(minRetentionDays)
    .max(maxRetentionDays)
    .describe(
      'How long events, sessions and visitors are stored. Older events are rejected. Analytics without a filter are kept longer, because they are counted in advance.',
    ),
  session_timeout_minutes: z
    .number()
    .int()
    .min(minSessionMinutes)
    .max(maxSessionMinutes)
    .describe(
      'A session ends after this many minutes without an event. Sessions that were counted before a change stay as they are, unless a later event joins them.',
    ),
  allowed_hosts: z
    .array(Host)
    .max(maxHosts)
    .overwrite((hosts) => [...new Set(hosts)])
    .describe('The hosts of your pages. An event on a page of another host is rejected; an empty list allows every host.'),
  currencies: z
    .array(
      z
        .string()
        .toUpperCase()
        .regex(/^[A-Z]{3}$/, 'expected an ISO 4217 code such as EUR'),
    )
    .max(maxCurrencies)
    .overwrite((codes) => [...new Set(codes)])
    .describe('The currencies of your values. An event with a value in another one is rejected; an empty list allows every currency.'),
  segment_traits: z
    .array(SegmentTrait)
    .max(maxTraits)
    .refine((traits) => new Set(traits.map(({ trait }) => trait)).size === traits.length, 'expected each trait once')
    .describe(
      'Which traits of calls to the Segment-compatible API become which fields of the contact. Replaces the whole table. Other ' +
        'traits stay with the event only.',
    ),
});
export type LeadpulseSettings = z.output<typeof LeadpulseSettings>;

export const LeadpulseSettingsView = LeadpulseSettings.extend({ revision: settingsRevision }).meta({ id: 'LeadpulseSettings' });

export const defaultSettings: LeadpulseSettings = {
  blocked_properties: [],
  store_networks: true,
  excluded_networks: [],
  retention_days: defaultRetentionDays,
  session_timeout_minutes: usualSessionMinutes,
  allowed_hosts: [],
  currencies: [],
  segment_traits: defaultTraits,
};

/** The time without an event after which a session ends. */
export const idleMsOf = ({ session_timeout_minutes }: LeadpulseSettings) => session_timeout_minutes * 60_000;

/** An event that was just accepted may still be counted, and belong to a session that began before it. */
const slackMs = dayMs;

/** Events, sessions and visitors from before this time are deleted. */
export const storedSince = ({ retention_days }: LeadpulseSettings, now = Date.now()) => new Date(now - retention_days * dayMs - slackMs);
