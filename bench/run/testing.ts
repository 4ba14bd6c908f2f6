import type { FiguresByRound, Results } from './results.ts'

/** The results of a run that nobody ran: figures by measure and subject. */
export function resultsWith(
  measures: Readonly<Record<string, Readonly<Record<string, FiguresByRound>>>>,
  changes: Partial<Results> = {},
): Results {
  const names = new Set(Object.values(measures).flatMap((subjects) => Object.keys(subjects)))
  return {
    commit: '0123abcd',
    startedAt: '2026-01-02T03:04:05.000Z',
    seconds: 60,
    machine: {
      cpu: 'one of these',
      cores: 2,
      memoryGib: 4,
      system: 'Linux 6',
      versions: { node: 'v24' },
      loadBefore: 0,
    },
    method: {
      rounds: 3,
      turnMs: 1_000,
      heatMs: 1_000,
      warmMs: 500,
      subjectCore: 1,
      loadProcesses: 1,
      backendProcesses: 1,
      hasInstructions: false,
      durable: ['fsync = on'],
    },
    subjects: [...names].map((name) => ({ name, description: name })),
    unavailable: {},
    measures: Object.entries(measures).map(([id, subjects]) => ({ id, title: id, subjects, missing: {} })),
    others: [],
    ...changes,
  }
}
