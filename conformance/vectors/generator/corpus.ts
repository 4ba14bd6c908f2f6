import type { Vector, VectorFile } from '#contract/models'
import { attestedVectors } from './cases/attested.ts'
import { amdVectors } from './cases/attested-amd.ts'
import { intelVectors } from './cases/attested-intel.ts'
import { intelFormVectors } from './cases/attested-intel-form.ts'
import { intelSignerVectors } from './cases/attested-intel-signers.ts'
import { intelTcbVectors } from './cases/attested-intel-tcb.ts'
import { realVectors } from './cases/attested-real.ts'
import { bindingVectors } from './cases/binding.ts'
import { goodChains } from './cases/chain-admitted.ts'
import { authorityVectors } from './cases/chain-authority.ts'
import { demandVectors } from './cases/chain-demands.ts'
import { malformedChains } from './cases/chain-form.ts'
import { linkVectors } from './cases/chain-links.ts'
import { nameVectors } from './cases/chain-names.ts'
import { sizeVectors } from './cases/chain-size.ts'
import { strengthVectors } from './cases/chain-strength.ts'
import { compactVectors } from './cases/compact.ts'
import { digestVectors } from './cases/digest.ts'
import { fetchVectors } from './cases/fetch.ts'
import { memberVectors } from './cases/fetch-members.ts'
import { statusVectors } from './cases/fetch-status.ts'
import { envelopeSizeVectors, payloadSizeVectors } from './cases/json-size.ts'
import { orderVectors } from './cases/order.ts'
import { payloadVectors } from './cases/payload.ts'
import { policyVectors } from './cases/policy.ts'
import { rootVectors } from './cases/root.ts'
import { signatureVectors } from './cases/signature.ts'
import { timeVectors } from './cases/time.ts'

const byStage: Readonly<Record<VectorFile['stage'], readonly (readonly Vector[])[]>> = {
  fetch: [envelopeSizeVectors, fetchVectors, memberVectors, statusVectors],
  'cert-chain': [
    goodChains,
    malformedChains,
    linkVectors,
    authorityVectors,
    demandVectors,
    strengthVectors,
    nameVectors,
    sizeVectors,
  ],
  'untrusted-root': [
    rootVectors,
    attestedVectors,
    amdVectors,
    intelVectors,
    intelFormVectors,
    intelSignerVectors,
    intelTcbVectors,
    realVectors,
  ],
  jws: [payloadSizeVectors, compactVectors, signatureVectors, payloadVectors, timeVectors, digestVectors],
  'tls-fingerprint': [bindingVectors],
  policy: [policyVectors],
}

/** All vectors as they are committed, by the name of their file. */
export function makeCorpus(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(byStage).map(([stage, parts]) => {
      const orders = orderVectors.filter(({ expected }) => expected.stage === stage)
      const vectors = [...parts.flat(), ...orders].toSorted((a, b) => (a.id < b.id ? -1 : 1))
      return [`${stage}.json`, describeFile({ stage, vectors })]
    }),
  )
}

/** One vector a line: what a change of the generator changed is read from the lines that differ. */
function describeFile({
  stage,
  vectors,
}: {
  readonly stage: string
  readonly vectors: readonly Vector[]
}): string {
  const lines = vectors.map((vector) => JSON.stringify(vector))
  return `{"stage":${JSON.stringify(stage)},"vectors":[\n${lines.join(',\n')}\n]}\n`
}
