/**
 * Scenarios that take longer than two seconds by themselves, on two cores left alone; none of them waits long by design, as
 * the suite has it. They are one in seventeen, and would cost more than all others together.
 */
export const LONG: ReadonlySet<string> = new Set([
  'completions/pings',
  'console/live',
  'console/sessions-bound',
  'errors/internal-everywhere',
  'evidence/external-unadmitted',
  'keys/states',
  'limits/debt',
  'limits/order',
  'limits/overload',
  'limits/refill',
  'models/tee-label-read',
  'operations/drain',
  'proxy/either-clock',
  'proxy/foreign-answers',
  'proxy/foreign-evidence',
  'proxy/leaf-signed-late',
  'proxy/unfinished-fetch',
  'relay/circuit',
  'relay/reasons-without-end',
  'relay/refused-elsewhere',
  'requests/body-memory',
  'streams/pings',
  'streams/pings-before-headers',
  'streams/pings-exact',
  'streams/pings-stop-at-reasoning',
  'streams/pings-stop-at-tool-call',
  'streams/stalled-client',
  'upstreams/fetch-finished-wrong',
  'upstreams/leaf-signed-late',
  'upstreams/shared',
  'upstreams/sticky',
  'upstreams/verdict-expired',
])

/**
 * Faults that have scenarios wait for what never comes, until their time is up: longer than whoever goes by the number of
 * those scenarios would think, and in which the machine has nothing to do. Only the order of trials goes by them.
 */
export const IN_VAIN: ReadonlySet<string> = new Set([
  'failed-check-ignored',
  'leaf-not-compared',
  'no-chunks',
  'no-models',
  'no-models-for-keys',
  'pins-ignored',
  'stream-buffered',
])
