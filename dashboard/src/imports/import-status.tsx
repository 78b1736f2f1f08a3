import { Status, type Tone } from '../page/status.tsx';
import type { Import } from './imports.ts';

const tones: Record<Import['status'], Tone> = {
  uploading: 'busy',
  queued: 'busy',
  running: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: 'over',
};

export const ImportStatus = ({ status }: Pick<Import, 'status'>) => (
  <Status tone={tones[status]}>{status.slice(0, 1).toUpperCase() + status.slice(1)}</Status>
);
