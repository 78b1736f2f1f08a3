import { Input } from '@mantine/core';
import type { ReactNode } from 'react';
import { GroupEditor } from '../../segments/group-editor.tsx';
import { draftOf, type GroupDraft, newCondition, newGroup, ruleOf } from '../../segments/rule-draft.ts';
import type { Rule } from '../../segments/segments.ts';
import { useDraft } from './use-draft.ts';

type Props = { label: string; value: Rule; onChange: (value: Rule) => void; error?: ReactNode };

/** A rule on the contact, with the editor of segments. */
export function RuleField({ label, value, onChange, error }: Props) {
  // The API validates the rule and reports errors.
  const [draft, setDraft] = useDraft<Rule, GroupDraft>(value, onChange, { read: readRule, write: (group) => ruleOf(group) as Rule });
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <GroupEditor group={draft} onChange={setDraft} />
    </Input.Wrapper>
  );
}

/** A condition that is being written as JSON may not be a rule yet. */
function readRule(rule: Rule): GroupDraft {
  try {
    return draftOf(rule);
  } catch {
    const written = newCondition('written');
    return newGroup([written.kind === 'written' ? { ...written, text: JSON.stringify(rule) } : written]);
  }
}
