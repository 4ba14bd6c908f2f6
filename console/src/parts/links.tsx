import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes } from 'react'

type Attributes<Props> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props>

/** A way to another page, in a text; where it leads is checked by the compiler. */
export const AnchorLink = createLink((props: AnchorProps & Attributes<AnchorProps>) => <Anchor {...props} />)

/** A way to another page that is the next thing to do. */
export const ButtonLink = createLink((props: ButtonProps & Attributes<ButtonProps>) => (
  <Button component="a" {...props} />
))
