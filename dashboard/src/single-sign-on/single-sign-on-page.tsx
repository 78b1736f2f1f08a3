import { Stack } from '@mantine/core';
import { Loaded } from '../api/loaded.tsx';
import { Page } from '../page/page.tsx';
import { useAccount } from '../settings/account.ts';
import { DomainsPanel } from './domains-panel.tsx';
import { ProvidersPanel } from './providers-panel.tsx';
import { RequiredPanel } from './required-panel.tsx';

/** Settings → Single sign-on. */
export function SingleSignOnPage() {
  const account = useAccount();
  return (
    <Page title="Single sign-on" describes="Users of this account sign in with the accounts of your company.">
      <Stack gap="lg" maw={760}>
        <ProvidersPanel />
        <DomainsPanel />
        <Loaded of="the account" shape="form" query={account}>
          {({ single_sign_on }) => <RequiredPanel isRequired={single_sign_on === 'required'} />}
        </Loaded>
      </Stack>
    </Page>
  );
}
