import { Button, type ButtonProps } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type Ref, useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';

type Props = ButtonProps & { text: string; label: string; ref?: Ref<HTMLButtonElement> };

/** Copies a text and shows whether that worked. */
export function CopyButton({ text, label, ...button }: Props) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();

  useEffect(() => {
    if (!outcome) return;
    const timer = window.setTimeout(() => setOutcome(undefined), 2_500);
    return () => window.clearTimeout(timer);
  }, [outcome]);

  const copy = () => void copyText(text).then((copied) => setOutcome(copied ? 'copied' : 'failed'));

  return (
    <Button
      variant="default"
      onClick={copy}
      leftSection={outcome === 'copied' ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
      {...button}
    >
      <span aria-live="polite">
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? "Couldn't copy. Select the text instead" : label}
      </span>
    </Button>
  );
}
