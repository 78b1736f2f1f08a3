import { Stack } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { Page } from '../page/page.tsx';
import { useAccount, useContactSettings } from './account.ts';
import { AuditRetentionPanel } from './audit-retention-panel.tsx';
import { DefaultConsentPanel } from './default-consent-panel.tsx';
import { NamePanel } from './name-panel.tsx';
import { RequiredSecondFactorPanel } from './required-second-factor-panel.tsx';
import { SessionIdlePanel } from './session-idle-panel.tsx';
import { SessionLifetimePanel } from './session-lifetime-panel.tsx';
import { TimeZonePanel } from './time-zone-panel.tsx';
import { WebhookSecretPanel } from './webhook-secret-panel.tsx';

/** Settings → Account. */
export function AccountPage() {
  const account = useAccount();
  const contacts = useContactSettings();
  const error = account.error ?? contacts.error;
  return (
    <Page title="Account" describes="Account-wide settings">
      <Stack gap="lg" maw={760}>
        {error && (
          <ErrorAlert
            error={error}
            title="Couldn't load the account"
            onRetry={() => void Promise.all([account.refetch(), contacts.refetch()])}
          />
        )}
        {(account.isPending || contacts.isPending) && <Outline of="the account" shape="form" />}
        {account.data && <NamePanel account={account.data} />}
        {account.data && <TimeZonePanel account={account.data} />}
        {account.data && <RequiredSecondFactorPanel account={account.data} />}
        {account.data && <SessionIdlePanel account={account.data} />}
        {account.data && <SessionLifetimePanel account={account.data} />}
        {account.data && <AuditRetentionPanel account={account.data} />}
        {contacts.data && <DefaultConsentPanel settings={contacts.data} />}
        <WebhookSecretPanel />
      </Stack>
    </Page>
  );
}
