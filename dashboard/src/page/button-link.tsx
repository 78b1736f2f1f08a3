import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';

type Plain<Props> = Props & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props>;

/** A link to another page, styled as a button. */
export const ButtonLink = createLink((props: Plain<ButtonProps>) => <Button component="a" {...props} />);

/** A link to another page, within text. */
export const TextLink = createLink((props: Plain<AnchorProps>) => <Anchor inherit {...props} />);
