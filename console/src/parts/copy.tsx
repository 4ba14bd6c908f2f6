import { Button, CopyButton } from '@mantine/core'
import { Icon } from './icon.tsx'

interface CopyProps {
  readonly text: string
  /** What is copied, for who does not see what it stands beside: `the key`. */
  readonly what: string
  readonly variant?: 'filled' | 'default' | 'subtle'
}

/** Puts a text on the clipboard, and says that it did. */
export function Copy({ text, what, variant = 'default' }: CopyProps) {
  return (
    <CopyButton value={text} timeout={2_000}>
      {({ copied, copy }) => (
        <Button
          flex="none"
          size="xs"
          variant={variant}
          onClick={copy}
          leftSection={<Icon name={copied ? 'done' : 'copy'} size={14} />}
          aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
        >
          <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
        </Button>
      )}
    </CopyButton>
  )
}
