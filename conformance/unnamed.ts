/**
 * How many scenarios of each topic count for several rules and do not name those that an assertion shows, so that any
 * failure breaks them all. A topic goes when its last one names them; none is added (scenarios.test.ts).
 */
export const unnamed: Readonly<Record<string, number>> = {
  'completions.ts': 8,
  'console/administration.ts': 1,
  'console/budgets.ts': 2,
  'console/history.ts': 3,
  'credit.ts': 12,
  'embeddings.ts': 6,
  'evidence/published.ts': 1,
  'generations.ts': 5,
  'limits.ts': 4,
  'metering.ts': 7,
  'models.ts': 4,
  'platform.ts': 1,
  'proxy/listener.ts': 3,
  'proxy/verdict.ts': 4,
  'relay.ts': 5,
  'requests/bodies.ts': 4,
  'requests/fields.ts': 11,
  'streams/backends.ts': 8,
  'upstreams.ts': 8,
}
