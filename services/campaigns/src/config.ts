import type { Keyring } from '@mp/contracts/keyring';
import type { GuardedRequest } from '@mp/guarded-requests/guarded-request';
import type { GetFromSns } from './delivery/providers/ses.ts';
import type { DnsResolver } from './delivery/senders/check-records.ts';
import type { Timings } from './delivery/sending/timings.ts';

export type CampaignsConfig = {
  LINK_KEYS: Keyring;
  PUBLIC_URL: string;
  FORMS_URL?: string | undefined;
  SMTP_URL?: string | undefined;
  /** Instead of SMTP_URL. */
  SMTP_SERVERS?: string | undefined;
  SMTP_CONNECTIONS: number;
  MAILBOX_DIR?: string | undefined;
  timings?: Partial<Timings>;
  getFromSns?: GetFromSns;
  dns?: DnsResolver;
  /** How the links of emails are requested when they are checked. */
  requestLinks?: GuardedRequest;
  BOUNCE_DOMAIN?: string | undefined;
  BOUNCE_PORT?: number;
  SPF_INCLUDE?: string | undefined;
  REQUIRE_VERIFIED_SENDERS?: boolean;
};
