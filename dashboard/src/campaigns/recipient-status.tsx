import { Status, type Tone } from '../page/status.tsx';
import type { RecipientState } from './campaigns.ts';

const tones: Record<RecipientState, Tone> = {
  queued: 'busy',
  sending: 'busy',
  deferred: 'warn',
  sent: 'good',
  delivered: 'good',
  bounced: 'bad',
  complained: 'bad',
  skipped: 'over',
  failed: 'bad',
  unknown: 'warn',
};

export const recipientStates = [
  'queued',
  'sending',
  'deferred',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'skipped',
  'failed',
  'unknown',
] as const;

export const stateLabel = (state: RecipientState) => state.slice(0, 1).toUpperCase() + state.slice(1);

export const RecipientStatus = ({ state }: { state: RecipientState }) => <Status tone={tones[state]}>{stateLabel(state)}</Status>;
