import { Input } from '@mantine/core';
import { GroupEditor } from '../../rules/group-editor.tsx';
import { draftOf, type GroupDraft, newCondition, newGroup, ruleOf } from '../../rules/rule-draft.ts';
import type { RuleErrors } from '../../rules/rule-errors.ts';
import type { Rule } from '../../segments/segments.ts';
import { useDraft } from './use-draft.ts';

type Props = { label: string; value: Rule; onChange: (value: Rule) => void; errors: RuleErrors };

/** A rule on the contact, with the editor of segments. */
export function RuleField({ label, value, onChange, errors }: Props) {
  // The API validates the rule and reports errors.
  const [draft, setDraft] = useDraft<Rule, GroupDraft>(value, onChange, { read: readRule, write: (group) => ruleOf(group) as Rule });
  return (
    <Input.Wrapper label={label} labelElement="div" error={errors.get('')}>
      <GroupEditor group={draft} errors={isGroup(value) ? errors : inFirstPart(errors)} onChange={setDraft} />
    </Input.Wrapper>
  );
}

const isGroup = (rule: Rule) => 'all' in rule || 'any' in rule || 'not' in rule;

/** The editor shows a single condition as a group of one. */
const inFirstPart = (errors: RuleErrors): RuleErrors => new Map([...errors].map(([path, message]) => [`/all/0${path}`, message]));

/** A condition that is being written as JSON may not be a rule yet. */
function readRule(rule: Rule): GroupDraft {
  try {
    return draftOf(rule);
  } catch {
    const written = newCondition('written');
    return newGroup([written.kind === 'written' ? { ...written, text: JSON.stringify(rule) } : written]);
  }
}
