import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNotice } from './failure-notice.tsx'

interface ConfirmProps {
  readonly isOpen: boolean
  readonly title: string
  /** What the button does, in a word. */
  readonly act: string
  readonly isPending: boolean
  readonly error: unknown
  readonly children: ReactNode
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  isOpen,
  title,
  act,
  isPending,
  error,
  children,
  onClose,
  onConfirm,
}: ConfirmProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        {children}
        {error !== null && <FailureNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red.9" loading={isPending} onClick={onConfirm}>
            {act}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
