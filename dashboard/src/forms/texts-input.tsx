import { Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Language, languageNames, type Texts, textIn } from './texts.ts';

type Props = {
  label: string;
  isLabelVisible?: boolean;
  description?: ReactNode;
  /** What visitors see if there is no text. */
  placeholder?: string;
  texts: Texts;
  onChange: (texts: Texts) => void;
  /** The language that is edited, and that of the form. */
  language: Language;
  fallback: Language;
  error?: ReactNode;
  isLong?: boolean;
};

/** One text in one of its languages. In a translation, the text that would be shown without it is the placeholder. */
export function TextsInput({ label, isLabelVisible = true, texts, onChange, language, fallback, placeholder, isLong, ...field }: Props) {
  const named = language === fallback ? label : `${label} (${languageNames[language]})`;
  const input = {
    ...field,
    ...(isLabelVisible ? { label: named } : { 'aria-label': named }),
    lang: language,
    placeholder: textIn(texts, fallback, fallback) || (placeholder ?? ''),
    value: texts[language] ?? '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => onChange({ ...texts, [language]: value }),
  };
  return isLong ? <Textarea autosize minRows={2} {...input} /> : <TextInput autoComplete="off" {...input} />;
}
