import { TextInput } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { type DeclaredType, useDeclaredTypes } from './attributes.ts';

type Props = {
  label: string;
  isLabelVisible?: boolean;
  placeholder: string;
  value: string;
  /** `type`: undefined for a new attribute. */
  onChange: (name: string, type: DeclaredType | undefined) => void;
  /** Suggests attributes of these types only. */
  only?: readonly DeclaredType[];
  error?: ReactNode;
};

/** The name of an attribute; suggests those of the account. */
export function AttributeName({ label, isLabelVisible = false, placeholder, value, onChange, only, error }: Props) {
  const types = useDeclaredTypes();
  const list = useId();
  return (
    <>
      <TextInput
        {...(isLabelVisible ? { label } : { 'aria-label': label })}
        placeholder={placeholder}
        list={list}
        autoComplete="off"
        value={value}
        onChange={({ currentTarget: { value: name } }) => onChange(name, types.get(name.trim()))}
        error={error}
      />
      <datalist id={list}>
        {[...types].map(([name, type]) => (!only || only.includes(type)) && <option key={name} value={name} />)}
      </datalist>
    </>
  );
}
