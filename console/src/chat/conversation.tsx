import { Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Empty } from '../parts/empty.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { AnchorLink } from '../parts/links.tsx'
import { Money } from '../parts/money.tsx'
import { grouped } from '../words/money.ts'
import styles from './conversation.module.css'
import type { useChat } from './use-chat.ts'

/** What was said, while it is being said, and what the last answer cost. */
export function Conversation({ chat }: { readonly chat: ReturnType<typeof useChat> }) {
  const { said, bill, error, isRunning } = chat
  const end = useRef<HTMLDivElement>(null)
  const length = said.at(-1)?.text.length
  useEffect(() => {
    // Newer browsers answer with a promise, which an effect must not give back.
    void end.current?.scrollIntoView({ block: 'nearest' })
  }, [length])
  if (said.length === 0 && error === undefined) {
    return (
      <Empty icon="playground" title="Ask anything">
        The answer streams in here, and its row is in the log before the first word arrives.
      </Empty>
    )
  }
  return (
    <div className={styles.conversation}>
      <div className={styles.said} role="log" aria-busy={isRunning}>
        {said.map(({ role, text }, index) => (
          <div key={index} className={styles[role]} dir="auto">
            <span className={styles.who}>{role === 'user' ? 'You' : 'Model'}</span>
            {text === '' && isRunning ? <span className={styles.waiting}>…</span> : text}
          </div>
        ))}
      </div>
      {error !== undefined && <FailureNotice error={error} />}
      {bill !== undefined && (
        <Text fz="sm" c="dimmed" role="status">
          {grouped(bill.inputTokens)} tokens in, {grouped(bill.outputTokens)} out,{' '}
          <Money micros={bill.costMicros} />.{' '}
          <AnchorLink to="/requests" search={{ id: bill.id }} fz="sm">
            Its record
          </AnchorLink>
        </Text>
      )}
      <div ref={end} />
    </div>
  )
}
