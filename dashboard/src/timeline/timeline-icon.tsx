import {
  IconActivity,
  IconAlertTriangle,
  IconArrowMerge,
  IconCoin,
  IconEye,
  IconFilter,
  IconForms,
  IconGitBranch,
  IconMail,
  IconMailOff,
  IconMailOpened,
  IconPointer,
  IconShieldCheck,
  IconShoppingBag,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import classes from './timeline.module.css';
import type { TimelineEntry, TimelineKind } from './timeline.ts';

type Icon = ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;

const ofKind: Record<TimelineKind, Icon> = {
  event: IconActivity,
  message: IconMail,
  consent: IconShieldCheck,
  form: IconForms,
  membership: IconFilter,
  run: IconGitBranch,
  merge: IconArrowMerge,
};

const ofType: Readonly<Record<string, Icon>> = {
  'campaigns.message.opened': IconMailOpened,
  'campaigns.message.clicked': IconPointer,
  'campaigns.message.converted': IconCoin,
  'campaigns.message.bounced': IconMailOff,
  'campaigns.message.unsubscribed': IconMailOff,
  'campaigns.message.complained': IconAlertTriangle,
};

function iconOf({ kind, type, facts }: TimelineEntry): Icon {
  if (kind === 'event' && facts.value) return IconShoppingBag;
  if (kind === 'event' && facts.event === '$pageview') return IconEye;
  return ofType[type] ?? ofKind[kind];
}

/** What kind of entry it is, at a glance; the words beside it say the same. Orders stand out. */
export function TimelineIcon({ entry }: { entry: TimelineEntry }) {
  const Icon = iconOf(entry);
  return (
    <span className={classes.icon} data-worth={(entry.kind === 'event' && !!entry.facts.value) || undefined}>
      <Icon size={15} stroke={1.7} aria-hidden />
    </span>
  );
}
