import type { LeadpulseSettings } from '../settings/settings.ts';
import { type Event, isRejection, type Rejection } from './event.ts';

/** The event as the account wants to store it, or why it does not. */
export function admitEvent(made: Event | Rejection, settings: LeadpulseSettings): Event | Rejection {
  if (isRejection(made)) return made;
  return foreignHost(made, settings) ?? foreignCurrency(made, settings) ?? withoutBlocked(made, settings);
}

function foreignHost({ page }: Event, { allowed_hosts }: LeadpulseSettings): Rejection | undefined {
  if (allowed_hosts.length === 0 || !page?.url) return undefined;
  const { hostname } = new URL(page.url);
  if (allowed_hosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host))) return undefined;
  const message = `The host of the page, ${hostname}, is not one of the allowed hosts in the settings; add it there.`;
  return { code: 'host_not_allowed', path: '/context/page/url', message };
}

function foreignCurrency({ value }: Event, { currencies }: LeadpulseSettings): Rejection | undefined {
  if (currencies.length === 0 || !value || currencies.includes(value.currency)) return undefined;
  const message = `${value.currency} is not one of the currencies in the settings (${currencies.join(', ')}); add it there.`;
  return { code: 'currency_not_allowed', path: '/value/currency', message };
}

/** The event without what the account does not want to store. */
function withoutBlocked(event: Event, { blocked_properties, store_networks }: LeadpulseSettings): Event {
  const isBlocked = (name: string) => blocked_properties.some((blocked) => name === blocked || name.startsWith(`${blocked}.`));
  return {
    ...event,
    ...(blocked_properties.length > 0 && {
      properties: Object.fromEntries(Object.entries(event.properties).filter(([name]) => !isBlocked(name))),
    }),
    ...(!store_networks && { context: { ...event.context, network: null } }),
  };
}
