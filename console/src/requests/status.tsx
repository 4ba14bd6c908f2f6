import type { RequestStatus } from '#contract/console/models'
import { Chip, type Tone } from '../parts/chip.tsx'

type Status = RequestStatus

const words: Readonly<Record<Status, readonly [string, Tone]>> = {
  running: ['Running', 'warn'],
  ok: ['OK', 'good'],
  aborted: ['Aborted', 'bad'],
}

/** How a request ended, or that it runs. */
export function Status({ status }: { readonly status: Status }) {
  const [word, tone] = words[status]
  return <Chip tone={tone}>{word}</Chip>
}
