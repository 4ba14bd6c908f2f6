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
        },
      },
      {
        test: {
          name: 'integration',
          include: ['**/*.integration.test.ts'],
          exclude: outside,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
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
