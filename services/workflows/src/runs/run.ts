import type { Contact } from '@mp/contracts/contact';
import type { ContactId, FormId, RunId, SegmentId, TemplateId, WorkflowId } from '@mp/ids';
import type { Activity } from '@mp/rules/activity';
import type { ContactProfile } from '@mp/rules/contact-profile';
import type { Rule } from '@mp/rules/rule';

export const openStates = ['active', 'waiting'] as const;
export const endedStates = ['completed', 'converted', 'exited', 'failed', 'cancelled'] as const;
export type RunState = (typeof openStates)[number] | (typeof endedStates)[number];

export const isRunState = (state: string): state is RunState => [...openStates, ...endedStates].some((one) => one === state);

/** What holds the email of a `send` step. */
export type HeldBy = 'quiet_hours' | 'frequency_cap';

/** What an open run waits for. `key` names the effect or request that the reply belongs to. */
export type Waiting =
  /** `held` is what keeps an email from being sent until then, if it is not a delay. */
  | { for: 'time'; until: string; held?: HeldBy }
  /** In front of the first step, until fewer runs of the workflow are open. */
  | { for: 'capacity' }
  /** Until an occurrence of the step, or until this time. */
  | { for: 'event'; key: string; until: string }
  /** `set` holds the filled fields of an `update_contact` or `notify` step, `variant` the variant of an email. */
  | { for: 'effect'; key: string; since: string; asked: number; set?: Record<string, unknown>; variant?: string }
  /** `since` is missing in runs from before it was stored. `until` is the end of a `wait_until` step. */
  | { for: 'answer'; key: string; since?: string; at: string; asked: number; until?: string }
  /** `host` is missing in runs from before it was stored. */
  | { for: 'webhook'; key: string; at: string; attempts: number; host?: string };

/** The passage of one contact through one version of a workflow. An `active` run is about to enter `step`. */
export type Run = {
  id: RunId;
  workflow_id: WorkflowId;
  version: number;
  contact_id: ContactId;
  state: RunState;
  reason: string | null;
  step: string | null;
  waiting: Waiting | null;
  /** Increases by one with every change; each write is conditional on the previous value. */
  sequence: number;
  /** The newest known revision of the contact; 0 while it is unknown and must be requested from contacts. */
  revision: number;
  /** The events that started the run: branches wait until segments has applied them. Empty after the first evaluated branch. */
  after?: readonly string[];
  /** The effect of another run that caused this one, so that workflows cannot trigger each other endlessly. */
  chain: string | null;
  /** The time of what started the run. Goals count from here. */
  began: string;
  /** When the run reached its step; missing in runs from before it was stored. */
  since?: string;
  /** Since when the frequency cap has forbidden the email of the step, while the run tries to send it. */
  capped?: string;
  /** When the run last stopped waiting. An event before it does not end the wait that follows. */
  reached: string;
  /** The key of the last email of each `send` step, by step id. */
  sent: Readonly<Record<string, string>>;
  /** Which of its emails were opened or clicked, as `message_opened <key>`; only if a step waits for that. */
  engaged: readonly string[];
  /** When its goal happened; only in runs that have converted. */
  converted_at?: string;
  /** The data of what started the run. */
  data: Readonly<Record<string, unknown>>;
  /** What `webhook` steps captured, by step id and name. */
  responses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

export const isOpen = ({ state }: Pick<Run, 'state'>) => state === 'active' || state === 'waiting';

export type ContactChange =
  | { type: 'update_contact'; members: Record<string, unknown>; increment?: Record<string, number> | undefined }
  | { type: 'add_tag'; tag: string }
  | { type: 'remove_tag'; tag: string };

/** An email to a user of the account. */
export type Notification = { user_id: string; subject: string; text: string };

export type MemberChange = { segmentId: SegmentId; to: 'inside' | 'outside' };

export type Message = {
  template_id?: TemplateId;
  /** Null for the subject of the template. */
  subject: string | null;
  preview_text: string | null;
  from: { email: string; name: string | null };
  reply_to: string | null;
  /** Null with a template. */
  html: string | null;
  text: string | null;
  track: { opens: boolean; clicks: boolean };
};

export type WebhookCall = { url: string; method: string; headers: Record<string, string>; body: unknown };

/** A change that a run requests outside itself. It is applied once per key. */
export type Effect =
  | { type: 'contact'; key: string; change: ContactChange }
  | { type: 'send'; key: string; message: Message; category: 'marketing' | 'transactional'; variant?: string }
  /** With `fresh`, on data no older than now; otherwise no older than the start of the run. */
  | { type: 'ask'; key: string; rules: readonly { index: number; rule: Rule }[]; fresh?: boolean }
  | { type: 'look_up'; key: string }
  | { type: 'track'; key: string; event: string; properties: Record<string, unknown> }
  | { type: 'start'; key: string; workflowId: WorkflowId; data: Record<string, unknown> }
  | { type: 'notify'; key: string; notification: Notification }
  | { type: 'member'; key: string; change: MemberChange }
  | { type: 'webhook'; key: string; call: WebhookCall };

/** Something that happened to the contact of a run. */
export type Occurred =
  | { type: 'event'; name: string; properties: Activity['properties']; value: { amount: number; currency: string } | null }
  | { type: 'segment_entered' | 'segment_left'; segment_id: SegmentId }
  | { type: 'message_opened' | 'message_clicked'; effect_key: string }
  | { type: 'form_submitted' | 'form_confirmed'; form_id: FormId }
  | { type: 'contact'; contact: ContactProfile };

/** What can happen to a run. With `hold`, the run takes no further step for now because its workflow is paused. */
export type Input =
  | { type: 'wake' }
  /** What holds the email of the run has changed. */
  | { type: 'recheck'; hold?: boolean }
  /** The run may take its first step, because fewer runs than the limit are open. */
  | { type: 'admitted' }
  | {
      type: 'effect_completed';
      key: string;
      status: 'done' | 'refused';
      reason: string | null;
      revision: number | null;
      /** With the reason `frequency_cap`: when the cap allows the email, if that is known. */
      retryAt?: string | undefined;
      /** The step is at fault, not the contact: the run fails and can be retried. */
      fault?: boolean;
      hold?: boolean;
    }
  | { type: 'answered'; key: string; taken: number | null; revision: number; hold?: boolean }
  | { type: 'unanswered'; key: string; revision: number }
  /** `contact` is null when the account no longer has it. */
  | { type: 'looked_up'; key: string; contact: Contact | null; revision: number; hold?: boolean }
  /** `at` is when it happened. */
  | { type: 'occurred'; occurred: Occurred; at: string; hold?: boolean }
  | { type: 'webhook_answered'; key: string; outcome: WebhookOutcome; hold?: boolean }
  | { type: 'exit'; reason: string }
  | { type: 'moved_contact'; to: ContactId; why: string }
  /** Applied with the definition of that version. */
  | { type: 'moved_version'; version: number }
  | { type: 'cancel' }
  | { type: 'retry' }
  | { type: 'skip' }
  /** Continues from this step, whatever the state of the run. */
  | { type: 'rerun'; step: string };

/** `said` is the beginning of the response's body. */
export type WebhookOutcome = { ok: boolean; retry: boolean; status: number | null; detail: string; said?: string };

export type LogEntry = {
  step: string | null;
  what: 'started' | 'waiting' | 'requested' | 'repeated' | 'done' | 'skipped' | 'taken' | 'retried' | 'moved' | 'ended';
  detail: string;
  key: string | null;
  /** The variant of the email that was sent. */
  variant?: string;
};

/** A run leaves a step and reaches the next; `from` is null at the start and in a rerun, `to` at the end of the path. */
export type Passage = { from: string | null; to: string | null; seconds: number };

export type Advanced = { run: Run; effects: Effect[]; wakeAt: Date | null; log: LogEntry[]; passages: readonly Passage[] };
