import { Status, type Tone } from '../page/status.tsx';
import type { CampaignStatus as Value } from './campaigns.ts';

const statusDisplay: Record<Value, { tone: Tone; word: string }> = {
  draft: { tone: 'over', word: 'Draft' },
  awaiting_approval: { tone: 'warn', word: 'Awaiting approval' },
  scheduled: { tone: 'busy', word: 'Scheduled' },
  freezing: { tone: 'busy', word: 'Gathering recipients' },
  sending: { tone: 'busy', word: 'Sending' },
  paused: { tone: 'warn', word: 'Paused' },
  sent: { tone: 'good', word: 'Sent' },
  cancelled: { tone: 'over', word: 'Cancelled' },
  failed: { tone: 'bad', word: 'Failed' },
};

export const statusLabel = (status: Value) => statusDisplay[status].word;

export const CampaignStatus = ({ status }: { status: Value }) => (
  <Status tone={statusDisplay[status].tone}>{statusDisplay[status].word}</Status>
);
