import { ActionIcon, Button, Input, NumberInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { addPath, canRemovePath, maxPaths, removePath } from '../../edits/path-edits.ts';
import { pathLabel } from '../../step-labels.ts';
import classes from '../fields.module.css';
import { type StepProps, useSet } from './step-props.ts';

/** The weights of the paths. */
export function SplitFields({ step, definition, onChange, fault }: StepProps<'split'>) {
  const set = useSet({ step, definition, onChange, fault });
  return (
    <Input.Wrapper label="Weights" labelElement="div" description="A contact always takes the same path." error={fault('/paths')}>
      <ul className={classes.rows}>
        {step.paths.map((path, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: paths have no identity except their position.
          <li key={index} className={classes.head}>
            <NumberInput
              aria-label={`Weight of path ${index + 1}`}
              min={1}
              max={1_000}
              allowDecimal={false}
              suffix={`  (${pathLabel(step, index, (id) => id)})`}
              value={path.weight}
              onChange={(weight) =>
                set(
                  { ...step, paths: step.paths.map((one, at) => (at === index ? { ...one, weight: Number(weight) || 0 } : one)) },
                  `paths/${index}`,
                )
              }
            />
            {canRemovePath(definition, { from: step.id, path: index }) && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={`Remove path ${index + 1}`}
                onClick={() => onChange(removePath(definition, { from: step.id, path: index }), null)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      {step.paths.length < maxPaths.split && (
        <Button
          mt="xs"
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange(addPath(definition, step.id), null)}
        >
          Add path
        </Button>
      )}
    </Input.Wrapper>
  );
}
