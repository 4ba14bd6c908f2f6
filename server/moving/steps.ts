import type { MoveState, WorkspaceMove } from '../store/moves.ts'

/** What is being done, each told before it begins. */
export type MoveStep =
  | 'publish'
  | 'expect'
  | 'copy'
  | 'pause'
  | 'withdraw'
  | 'close'
  | 'follow'
  | 'compare'
  | 'commit'
  | 'release'
  | 'admit'
  | 'switch'
  | 'tidy'
  | 'end'
  | 'reopen'
  | 'cancel'

/** What each of them is, for people. */
export const words: Readonly<Record<MoveStep, string>> = {
  publish: 'publishing the rows of the workspace',
  expect: 'closing the place that they go to',
  copy: 'copying',
  pause: 'pausing the workspace',
  withdraw: 'withdrawing its keys',
  close: 'waiting for the requests that run, and closing the workspace',
  follow: 'waiting for the last rows',
  compare: 'comparing',
  commit: 'writing down that all has come',
  release: 'ending the copying',
  admit: 'opening the workspace where it has come to',
  switch: 'sending everybody there',
  tidy: 'tidying up',
  end: 'writing down that it is done',
  reopen: 'opening the workspace where it was',
  cancel: 'giving the move up',
}

const isServedIn = (cell: string) => `is served in the cell ${cell}`
const isPaused = () => 'is paused, and its requests are refused'

/** Where a workspace stands whose move has stopped there. */
export const standings: Readonly<Record<MoveState, (move: Pick<WorkspaceMove, 'from' | 'to'>) => string>> = {
  copying: ({ from }) => isServedIn(from),
  paused: isPaused,
  reopening: isPaused,
  copied: isPaused,
  switched: ({ to }) => isServedIn(to),
  done: ({ to }) => isServedIn(to),
  cancelling: ({ from }) => isServedIn(from),
  cancelled: ({ from }) => isServedIn(from),
}
