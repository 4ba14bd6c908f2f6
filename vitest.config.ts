import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { describeNeed, isExcused, isMet, needs } from './tests/needs.ts'

const outside = ['**/node_modules/**', '.data/**', 'dist/**']

const left = needs.filter((need) => isExcused(need) && !isMet(need))
for (const need of left) console.log(`Skipping the tests that need ${describeNeed(need)}`)

export default defineConfig({
  test: {
    setupFiles: ['tests/setup.ts'],
    // No ceiling is a promise: each guards against hanging, on a machine that others use as well.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As the other waits have it (tests/setup.ts).
    expect: { poll: { timeout: 30_000 } },
    tags: needs.map((need) => ({ name: need.name, description: need.use, skip: left.includes(need) })),
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...outside, '**/*.integration.test.ts', '**/*.long.test.ts'],
          // Vitest would leave a core to itself, and some tests wait.
          maxWorkers: availableParallelism() + 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['**/*.integration.test.ts'],
          exclude: outside,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          // Many wait more than they work, for leases, crashes and deadlines: three at a time fill two cores.
          maxWorkers: 3,
        },
      },
      {
        // `npm run test:long`: what takes its real time.
        extends: true,
        test: {
          name: 'long',
          include: ['**/*.long.test.ts'],
          exclude: outside,
          fileParallelism: false,
        },
      },
    ],
  },
})
