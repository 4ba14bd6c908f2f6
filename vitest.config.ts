import { defineConfig } from 'vitest/config'

const outside = ['**/node_modules/**', '.data/**', 'dist/**']

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...outside, '**/*.integration.test.ts', '**/*.long.test.ts'],
          // None takes a second by itself; the machine may be busy.
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['**/*.integration.test.ts'],
          exclude: outside,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Most of them wait more than they work, for leases, crashes and deadlines: two at a time fill two cores.
          maxWorkers: 2,
        },
      },
      {
        // `npm run test:long`: what takes its real time.
        test: {
          name: 'long',
          include: ['**/*.long.test.ts'],
          exclude: outside,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
