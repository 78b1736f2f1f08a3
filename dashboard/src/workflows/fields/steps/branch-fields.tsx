import { ActionIcon, Button, Group, NativeSelect } from '@mantine/core';
import { IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { addPath, canRemovePath, maxPaths, removePath } from '../../edits/path-edits.ts';
import classes from '../fields.module.css';
import { RuleField } from '../rule-field.tsx';
import { WhereField } from '../where-field.tsx';
import { type StepProps, useSet } from './step-props.ts';

/** The branches of a step with their conditions. */
export function BranchFields({ step, definition, onChange, fault }: StepProps<'branch'>) {
  const set = useSet({ step, definition, onChange, fault });
  type Branch = (typeof step.branches)[number];
  const put = (index: number, branch: Branch, field: string | null) =>
    set({ ...step, branches: step.branches.map((one, at) => (at === index ? branch : one)) }, field);
  const swapWithBefore = (index: number) => {
    const [one, before] = [step.branches[index], step.branches[index - 1]];
    if (!one || !before) return;
    set({ ...step, branches: step.branches.map((other, at) => (at === index ? before : at === index - 1 ? one : other)) }, null);
  };
  return (
    <>
      <ul className={classes.rows}>
        {step.branches.map((branch, index) => {
          const { when, data, to } = branch;
          const name = `Branch ${index + 1}`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: branches have no identity except their position.
            <li key={index} className={classes.block}>
              <div className={classes.head}>
                <span className={classes.title}>{name}</span>
                {index > 0 && (
                  <ActionIcon variant="subtle" color="gray" aria-label={`Move ${name} up`} onClick={() => swapWithBefore(index)}>
                    <IconArrowUp size={16} aria-hidden />
                  </ActionIcon>
                )}
                {canRemovePath(definition, { from: step.id, path: index }) && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove ${name}`}
                    onClick={() => onChange(removePath(definition, { from: step.id, path: index }), null)}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                )}
              </div>
              <NativeSelect
                aria-label={`${name}: what to check`}
                data={[
                  { value: 'when', label: 'The contact' },
                  { value: 'data', label: 'The data of the run' },
                ]}
                value={data ? 'data' : 'when'}
                onChange={({ currentTarget: { value } }) =>
                  put(
                    index,
                    value === 'data' ? { data: {}, to } : { when: { all: [{ field: 'tags', op: 'contains', value: '' }] }, to },
                    null,
                  )
                }
              />
              {data ? (
                <WhereField
                  label="Conditions"
                  prefix="data."
                  placeholder="properties.total"
                  value={data}
                  onChange={(next) => put(index, { ...branch, data: next }, `branches/${index}`)}
                  error={fault(`/branches/${index}/data`)}
                />
              ) : (
                when && (
                  <RuleField
                    label="Conditions"
                    value={when}
                    onChange={(next) => put(index, { ...branch, when: next }, `branches/${index}`)}
                    errors={fault.below(`/branches/${index}/when`)}
                  />
                )
              )}
            </li>
          );
        })}
      </ul>
      {step.branches.length < maxPaths.branch && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange(addPath(definition, step.id), null)}
          >
            Add branch
          </Button>
        </Group>
      )}
    </>
  );
}
