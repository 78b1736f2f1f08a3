import { ActionIcon, Group, Menu, NativeSelect, UnstyledButton } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { ConditionEditor } from './condition-editor.tsx';
import classes from './group-editor.module.css';
import { type ConditionDraft, type GroupDraft, newCondition, newGroup, pathOfPart, type RuleDraft, replaced } from './rule-draft.ts';
import { errorsBelow, noErrors, type RuleErrors } from './rule-errors.ts';

const kinds: readonly { kind: ConditionDraft['kind']; name: string; of?: string }[] = [
  { kind: 'field', name: 'Field, tag or attribute' },
  { kind: 'date', name: 'Date' },
  { kind: 'event', name: 'Orders', of: 'order_placed' },
  { kind: 'event', name: 'Another event' },
  { kind: 'sequence', name: 'Events in order' },
  { kind: 'campaign', name: 'Campaign activity' },
  { kind: 'form', name: 'Form activity' },
  { kind: 'segment', name: 'Segment' },
];
const maxDepth = 6;

type Props = { group: GroupDraft; errors?: RuleErrors; depth?: number; onChange: (group: GroupDraft) => void; onRemove?: () => void };

/** Conditions of which all, any or none must match; groups can be nested. */
export function GroupEditor({ group, errors = noErrors, depth = 1, onChange, onRemove }: Props) {
  const set = (id: string, change: RuleDraft | undefined) => onChange(replaced(group, id, change));
  const add = (rule: RuleDraft) => onChange({ ...group, rules: [...group.rules, rule] });

  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>Group of conditions</legend>
      <Group gap="xs" mb="xs">
        <NativeSelect
          size="xs"
          aria-label="Match all, any or none"
          data={[
            { value: 'all', label: 'All of these' },
            { value: 'any', label: 'Any of these' },
            { value: 'none', label: 'None of these' },
          ]}
          value={group.match}
          onChange={({ currentTarget: { value } }) => onChange({ ...group, match: value === 'any' || value === 'none' ? value : 'all' })}
        />
        {onRemove && (
          <ActionIcon variant="subtle" color="gray" aria-label="Remove group" onClick={onRemove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <ul className={classes.rules}>
        {group.rules.map((rule, index) => (
          <li key={rule.id}>
            {rule.kind === 'group' ? (
              <GroupEditor
                group={rule}
                errors={errorsBelow(errors, pathOfPart(group, index))}
                depth={depth + 1}
                onChange={(change) => set(rule.id, change)}
                onRemove={() => set(rule.id, undefined)}
              />
            ) : (
              <ConditionEditor
                condition={rule}
                errors={errorsBelow(errors, pathOfPart(group, index))}
                onChange={(change) => set(rule.id, change)}
                onRemove={() => set(rule.id, undefined)}
              />
            )}
          </li>
        ))}
      </ul>
      <Menu position="bottom-start" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <UnstyledButton className={classes.add}>
            <IconPlus size={14} aria-hidden /> Add condition
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {kinds.map(({ kind, name, of }) => (
            <Menu.Item key={name} onClick={() => add(newCondition(kind, of))}>
              {name}
            </Menu.Item>
          ))}
          {depth < maxDepth && <Menu.Item onClick={() => add(newGroup([newCondition('field')]))}>Group</Menu.Item>}
          <Menu.Divider />
          <Menu.Label>For developers</Menu.Label>
          <Menu.Item onClick={() => add(newCondition('written'))}>As JSON</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </fieldset>
  );
}
