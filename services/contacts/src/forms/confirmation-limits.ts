import { dayMs } from '@mp/rules/duration';

/** Unconfirmed requests expire after this time, with contacts that exist only because of a form. */
export const expiryMs = 30 * dayMs;
export const reminderMs = 2 * dayMs;

/** The maximum of confirmation emails to an address in 24 hours, whatever the form. */
export const maxMailsPerDay = 3;
