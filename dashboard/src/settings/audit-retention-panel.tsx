import { AccountChoice } from './account-choice.tsx';

const offered = [
  [null, 'As long as the account'],
  [90, '90 days'],
  [365, '1 year'],
  [730, '2 years'],
  [1_825, '5 years'],
] as const;

export const AuditRetentionPanel = ({ account: { audit_retention_days } }: { account: { audit_retention_days: number | null } }) => (
  <AccountChoice
    title="Audit log"
    label="Keep entries"
    description="Older entries are deleted and cannot be restored."
    field="audit_retention_days"
    value={audit_retention_days}
    offered={offered}
    otherwise={(days) => `${days} days`}
  />
);
