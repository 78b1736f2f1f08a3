import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../api/loaded.tsx';
import { Page } from '../page/page.tsx';
import { signInProvidersQuery } from '../session/session-query.ts';
import { useAccount } from '../settings/account.ts';
import { AccountChoice } from '../settings/account-choice.tsx';
import { DomainsPanel } from './domains-panel.tsx';
import { ProvidersPanel } from './providers-panel.tsx';
import { RequiredPanel } from './required-panel.tsx';

const admissions = [
  ['off', 'Sign nobody in'],
  ['existing_users', 'Sign in users of this account'],
  ['just_in_time', 'Also create users, as viewers'],
] as const;

/** Settings → Single sign-on. */
export function SingleSignOnPage() {
  const account = useAccount();
  const { data: providers = [] } = useQuery(signInProvidersQuery);
  const names = providers.map(({ name }) => name);
  return (
    <Page title="Single sign-on" describes="Users of this account sign in with the accounts of your company.">
      <Stack gap="lg" maw={760}>
        <ProvidersPanel />
        <DomainsPanel />
        <Loaded of="the account" shape="form" query={account}>
          {({ single_sign_on, installation_providers }) => (
            <>
              {names.length > 0 && (
                <AccountChoice
                  title="Providers of this installation"
                  label={names.join(', ')}
                  description="The operator offers these to every account. They sign in users who are invited, or whose address is in a verified domain."
                  field="installation_providers"
                  value={installation_providers}
                  offered={admissions}
                />
              )}
              <RequiredPanel isRequired={single_sign_on === 'required'} />
            </>
          )}
        </Loaded>
      </Stack>
    </Page>
  );
}
