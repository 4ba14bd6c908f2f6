import type { Attest } from '#egress/evidence/attest.ts'
import { attributes, spanAttributes } from '../names.ts'
import type { Tracer } from '../tracing/tracer.ts'

/** Has each check of an upstream be a trace of its own: what asks for it is the clock, or many requests at once. */
export function tracedAttest(tracer: Pick<Tracer, 'beginAlone'>, upstream: string, attest: Attest): Attest {
  return async (...asked) => {
    const end = tracer.beginAlone('router.attestation')
    const outcome = await attest(...asked)
    const told =
      outcome.kind === 'passed'
        ? { [spanAttributes.evidence]: outcome.admission.digest }
        : { [spanAttributes.stage]: outcome.ground.stage, [attributes.error]: outcome.ground.reason }
    end({ [spanAttributes.upstream]: upstream, ...told }, outcome.kind !== 'passed')
    return outcome
  }
}
