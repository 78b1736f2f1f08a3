import { ActionIcon } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import classes from './command-line.module.css';
import { copyText } from './copy-text.ts';

/** A terminal command with a copy button. */
export function CommandLine({ children: line, label }: { children: string; label: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className={classes.line}>
      <pre className={classes.text}>
        <code>{line}</code>
      </pre>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={copied ? 'Copied' : `Copy: ${label}`}
        onClick={() => void copyText(line).then(setCopied)}
        onBlur={() => setCopied(false)}
      >
        {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
      </ActionIcon>
    </div>
  );
}
