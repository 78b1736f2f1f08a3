import { ContactName } from '../contacts/contact-name.tsx';
import { valueText } from './leadpulse-search.ts';
import type { Visitor } from './visitors.ts';

/** What is known about a visitor without a contact: "Firefox on Linux". */
export const visitorLabel = ({ browser, os }: Pick<Visitor, 'browser' | 'os'>) =>
  browser && os ? `${browser} on ${os}` : (browser ?? os ?? 'Anonymous visitor');

export const countryLabel = (country: string | null) => country && valueText('country', country);

/** The contact of a visitor, or what is known about the browser. */
export const VisitorName = ({ visitor }: { visitor: Pick<Visitor, 'contact_id' | 'browser' | 'os'> }) =>
  visitor.contact_id ? <ContactName id={visitor.contact_id} /> : visitorLabel(visitor);
