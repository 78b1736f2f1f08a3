import { Status, type Tone } from '../page/status.tsx';
import type { Segment } from './segments.ts';

const statusDisplay: Record<Segment['status'], { tone: Tone; word: string }> = {
  building: { tone: 'busy', word: 'Building' },
  ready: { tone: 'good', word: 'Ready' },
  failed: { tone: 'bad', word: 'Failed' },
};

export const SegmentStatus = ({ status }: { status: Segment['status'] }) => (
  <Status tone={statusDisplay[status].tone}>{statusDisplay[status].word}</Status>
);
