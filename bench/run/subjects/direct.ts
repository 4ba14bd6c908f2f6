import { chatOf, type Subject } from './subject.ts'

/** Nothing in between: what load and model can do, and what they take of every time. */
export const direct: Subject = {
  name: 'direct',
  description: 'nothing between load and model: what those two can do',
  prepare: async ({ backendUrl }) => ({
    start: async () => ({ target: chatOf(backendUrl), roles: [], stop: async () => {} }),
    dispose: async () => {},
  }),
}
