import type { Parts } from '@mp/service-kit/service-parts';
import { createDailyUsageStore } from '../quotas/daily-usage-store.ts';
import { createUsageBreakdownStore } from '../quotas/usage-breakdown-store.ts';
import { createAccountsStore } from './accounts/accounts-store.ts';
import { createApiKeysStore } from './api-keys/api-keys-store.ts';
import { createAuditLogStore } from './audit/audit-log-store.ts';
import { createCommentsStore } from './comments/comments-store.ts';
import { createNoticesStore } from './comments/notices-store.ts';
import { createAccountDeletionsStore } from './deletions/account-deletions-store.ts';
import { createNotificationsStore } from './notifications/notifications-store.ts';
import { createCodesStore } from './oauth/codes-store.ts';
import { createGrantsStore } from './oauth/grants-store.ts';
import { createOauthClientsStore } from './oauth/oauth-clients-store.ts';
import { createOauthTokensStore } from './oauth/oauth-tokens-store.ts';
import { createReportEmailsStore } from './report-emails/report-emails-store.ts';
import { createReportMailsStore } from './report-emails/report-mails-store.ts';
import { createRolesStore } from './roles/roles-store.ts';
import { createFactorsStore } from './second-factors/factors-store.ts';
import { createRecoveryCodesStore } from './second-factors/recovery-codes-store.ts';
import { createSignInStepsStore } from './second-factors/sign-in-steps-store.ts';
import { createTotpSecrets } from './second-factors/totp.ts';
import { createDomainsStore } from './single-sign-on/domains-store.ts';
import { createIdentitiesStore } from './single-sign-on/identities-store.ts';
import { createIdentityProvidersStore } from './single-sign-on/identity-providers-store.ts';
import { createSingleSignOnStatesStore } from './single-sign-on/single-sign-on-states-store.ts';
import { createAttemptsStore } from './users/attempts-store.ts';
import { createEmailChangesStore } from './users/email-changes-store.ts';
import { createKnownBrowsersStore } from './users/known-browsers-store.ts';
import { createSessionsStore } from './users/sessions-store.ts';
import { createSignInLinksStore } from './users/sign-in-links-store.ts';
import { createUsersStore } from './users/users-store.ts';

export type Stores = ReturnType<typeof createStores>;

/** All collections of the gateway's database, for the gateway and its commands. */
export function createStores({ mongo: { db }, outbox, contextKeys }: Pick<Parts, 'mongo' | 'outbox' | 'contextKeys'>) {
  const accounts = createAccountsStore(db, outbox);
  const oauthTokens = createOauthTokensStore(db, outbox);
  const stores = {
    accounts,
    accountDeletions: createAccountDeletionsStore(db),
    apiKeys: createApiKeysStore(db, outbox),
    oauthClients: createOauthClientsStore(db, outbox),
    oauthTokens,
    codes: createCodesStore(db),
    grants: createGrantsStore(db, outbox, oauthTokens),
    users: createUsersStore(db, outbox),
    sessions: createSessionsStore(db, outbox),
    attempts: createAttemptsStore(db),
    signInLinks: createSignInLinksStore(db),
    emailChanges: createEmailChangesStore(db),
    knownBrowsers: createKnownBrowsersStore(db),
    factors: createFactorsStore(db, createTotpSecrets(contextKeys)),
    recoveryCodes: createRecoveryCodesStore(db),
    signInSteps: createSignInStepsStore(db),
    identityProviders: createIdentityProvidersStore(db, contextKeys),
    identities: createIdentitiesStore(db),
    domains: createDomainsStore(db),
    roles: createRolesStore(db),
    singleSignOnStates: createSingleSignOnStatesStore(db),
    usage: createDailyUsageStore(db),
    usageBreakdown: createUsageBreakdownStore(db),
    auditLog: createAuditLogStore(db, accounts, outbox),
    notifications: createNotificationsStore(db),
    reportEmails: createReportEmailsStore(db),
    reportMails: createReportMailsStore(db),
    comments: createCommentsStore(db),
    notices: createNoticesStore(db),
  };
  return {
    ...stores,
    prepare: async () => {
      await Promise.all(Object.values(stores).map((store) => store.prepare()));
    },
  };
}
