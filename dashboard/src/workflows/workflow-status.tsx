import { Status, type Tone } from '../page/status.tsx';
import type { RunState, WorkflowStatus as Value } from './workflows.ts';

const tones: Record<Value, Tone> = { draft: 'over', awaiting_approval: 'warn', active: 'good', paused: 'warn', archived: 'over' };
const runTones: Record<RunState, Tone> = {
  active: 'busy',
  waiting: 'busy',
  completed: 'good',
  converted: 'good',
  exited: 'over',
  failed: 'bad',
  cancelled: 'over',
};
export const capital = (word: string) => (word.slice(0, 1).toUpperCase() + word.slice(1)).replaceAll('_', ' ');

export const WorkflowStatus = ({ status }: { status: Value }) => <Status tone={tones[status]}>{capital(status)}</Status>;
export const RunStatus = ({ state }: { state: RunState }) => <Status tone={runTones[state]}>{capital(state)}</Status>;

export const workflowStatuses = ['draft', 'awaiting_approval', 'active', 'paused', 'archived'] as const;
export const runStates = ['active', 'waiting', 'completed', 'converted', 'exited', 'failed', 'cancelled'] as const;
