import { ColorInput, NativeSelect, NumberInput, SegmentedControl, Text } from '@mantine/core';
import { useId } from 'react';
import { type Brand, heightOf, spacerHeights, textOf } from '../email-design/design.ts';
import { backgroundOf, brandBackgrounds, isColor, paddings } from '../email-design/section.ts';
import type { FieldsProps } from './field-props.ts';

const backgrounds = [...Object.entries({ ...brandBackgrounds, own: 'Another color' })].map(([value, label]) => ({ value, label }));

export function SectionFields({ attrs, set, colors }: FieldsProps & { colors: Brand['colors'] }) {
  const id = useId();
  const background = textOf({ attrs }, 'background');
  const isOwn = isColor(background);
  return (
    <>
      <NativeSelect
        label="Background"
        data={backgrounds}
        value={isOwn ? 'own' : background}
        onChange={({ currentTarget: { value } }) => set({ background: value === 'own' ? backgroundOf({ attrs }, colors) : value })}
      />
      {isOwn && (
        <ColorInput
          // Reads the color again when it was undone.
          key={background}
          aria-label="Color"
          format="hex"
          defaultValue={background}
          onChangeEnd={(color) => isColor(color) && set({ background: color })}
          onBlur={({ currentTarget: { value } }) => isColor(value) && value !== background && set({ background: value })}
          eyeDropperButtonProps={{ 'aria-label': 'Pick the color' }}
        />
      )}
      <div>
        <Text size="sm" fw={500} id={id}>
          Padding
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby={id}
          data={Object.keys(paddings).map((value) => ({ value, label: value[0]?.toUpperCase() + value.slice(1) }))}
          value={textOf({ attrs }, 'padding')}
          onChange={(padding) => set({ padding })}
        />
      </div>
    </>
  );
}

export const SpacerFields = ({ attrs, set }: FieldsProps) => (
  <NumberInput
    label="Height (pixels)"
    min={spacerHeights.least}
    max={spacerHeights.most}
    step={8}
    allowDecimal={false}
    value={heightOf({ attrs })}
    onChange={(height) => typeof height === 'number' && set({ height })}
  />
);
