import { AccountChoice } from './account-choice.tsx';

const offered = [
  ['optional', 'Optional'],
  ['required_for_admins', 'Required for the owner and admins'],
  ['required', 'Required for all users'],
] as const;

export const RequiredSecondFactorPanel = ({ account: { second_factor } }: { account: { second_factor: string } }) => (
  <AccountChoice
    title="Second factor"
    label="Authenticator app or passkey"
    description="Users without one must add it when they next use the dashboard. Add your own first. API keys are not affected."
    field="second_factor"
    value={second_factor}
    offered={offered}
  />
);
