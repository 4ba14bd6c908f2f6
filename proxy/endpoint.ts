import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { Expectation } from '#attestation'
import { type Clock, systemClock } from '#egress/clock.ts'
import { authorityOf } from '#egress/connection/target.ts'
import { AttestedEndpoint } from '#egress/endpoint.ts'
import type { Attest } from '#egress/evidence/attest.ts'
import { hardwareDocument } from '#egress/hardware.ts'
import { proxyRules, type Verdict } from '#egress/verdict/verdict.ts'
import { AskedChecks } from './asked-checks.ts'
import type { EndpointConfig } from './config/proxy.ts'
import { Exchange } from './forward/exchange.ts'
import type { Route } from './forward/route.ts'
import { areEqual } from './journal/expectation.ts'
import { noRecorder, type Recorder } from './journal/recorder.ts'
import type { Log, LogFields } from './log.ts'
import type { Newest } from './memory/newest.ts'
import { Tally } from './tally.ts'

/** What an endpoint needs from the world; tests pass their own check and clock. */
export interface EndpointDependencies {
  readonly config: EndpointConfig
  readonly newest: Newest
  readonly log: Log
  readonly clock?: Clock
  readonly attest?: Attest
  /** Remembers verdicts, denials and generations; nobody does when left out. */
  readonly recorder?: Recorder
}

/** One endpoint: its verdict, its connections, and the way through them. */
export interface Endpoint {
  readonly attested: AttestedEndpoint
  readonly tally: Tally
  /** Checks that people ask for. */
  readonly asked: AskedChecks
  /** When the state began that the verdict is in. */
  readonly stateSince: Date
  /** Passes a request on under the verdict, or refuses it. */
  forward(request: IncomingMessage, response: ServerResponse): void
  /** Judges by something else from now on; a verdict that does not hold under it is withdrawn. */
  expect(expected: Expectation): void
  /** Stops checking and cuts what still runs. */
  stop(): Promise<void>
}

const words = { failed: 'the check failed', unfinished: 'the evidence could not be had' } as const
const FOREIGN = 'somebody else answered in the place of the endpoint; the verdict on it stands'

/** Creates an endpoint and begins with its first check. */
export function createEndpoint(dependencies: EndpointDependencies): Endpoint {
  const { config, newest, log, clock = systemClock, recorder = noRecorder } = dependencies
  const { name, target } = config
  const now = () => new Date(clock.now().wallMs)
  const tally = new Tally()
  const asked = new AskedChecks(() => attested.attest(), clock)
  let stateSince = now()
  const attested = new AttestedEndpoint({
    target,
    expected: config,
    clock,
    rules: proxyRules,
    ...(dependencies.attest && { attest: dependencies.attest }),
    memory: {
      newestIssuedAt: () => newest.of(config),
      record({ admission: { issuedAt } }) {
        try {
          newest.keep(config, issuedAt)
        } catch (error) {
          log.error('the newest time of signing cannot be kept', { endpoint: name, error })
        }
        return 'recorded'
      },
    },
    onVerdict: tell,
    onCheck(outcome, isForeign) {
      tally.check(outcome, isForeign)
      asked.note(outcome, isForeign)
      if (outcome.kind === 'passed') return
      const { stage, reason, cause: error } = outcome.ground
      log.warn(isForeign ? FOREIGN : words[outcome.kind], { endpoint: name, stage, reason, error })
    },
    onRefusedLeaf({ admission: { certFingerprint } }) {
      tally.refuseLeaf()
      log.warn('a connection showed another certificate and was sent nothing', {
        endpoint: name,
        certFingerprint,
      })
    },
    onThrown(error) {
      log.error('what was to be done about the endpoint was not', { endpoint: name, error })
    },
  })
  const route: Route = {
    attested,
    authority: authorityOf(target),
    basePath: config.basePath,
    origins: config.listen.origins,
    recorder,
    tally,
    onThrown(error) {
      log.error('an answer could not be written, and its client was hung up on', { endpoint: name, error })
    },
  }
  attested.start()
  return {
    attested,
    tally,
    asked,
    get stateSince() {
      return stateSince
    },
    forward: (request, response) => new Exchange(request, response, route).start(),
    expect(expected) {
      if (areEqual(attested.expected, expected)) return
      log.info('what is expected of the endpoint has changed', { endpoint: name })
      attested.expect(expected)
      void attested.attest()
    },
    stop() {
      asked.stop()
      recorder.flush()
      return attested.stop(new Error('The proxy stops.'))
    },
  }

  function tell(after: Verdict, before: Verdict): void {
    if (after.state !== before.state) stateSince = now()
    const fields = fieldsOf(after)
    if (!isDeepStrictEqual(fields, fieldsOf(before))) {
      log.info(`the endpoint is ${after.state}`, { endpoint: name, ...fields })
      recorder.verdict(after)
    }
  }
}

/** What of a verdict is worth a line when it changes; a newer signature alone is not. */
function fieldsOf(verdict: Verdict): LogFields {
  const { state } = verdict
  if (verdict.state !== 'admitted') {
    const { stage, reason } = verdict.ground
    return { state, stage, reason }
  }
  const { digest, certFingerprint, hardware } = verdict.admission
  return {
    state,
    evidenceDigest: digest,
    certFingerprint,
    ...(hardware && { hardware: hardwareDocument(hardware) }),
  }
}
