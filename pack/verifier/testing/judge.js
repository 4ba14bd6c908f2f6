// Puts requests of the verifier's vectors to the installed package, in Node or in a page.
import {
  AttestationError,
  parseDigest,
  parsePin,
  parseRoots,
  verifyBundle,
} from '@confidential-inference-router/verifier'

/** What the package answers to each request, as the vectors say it. */
export async function judgeAll(requests) {
  const answers = []
  for (const request of requests) answers.push(await judge(request))
  return answers
}

async function judge(request) {
  let expected
  try {
    expected = expectationOf(request)
  } catch {
    return 'malformed'
  }
  try {
    await verifyBundle(
      Uint8Array.from(atob(request.bundle), (letter) => letter.charCodeAt(0)),
      expected,
    )
    return 'accept'
  } catch (error) {
    if (!(error instanceof AttestationError)) return `internal: ${error.stack}`
    return `reject at ${error.stage}: ${error.reason}`
  }
}

function expectationOf({ observed_leaf: leaf, newest_issued_at: newest, ...request }) {
  return {
    hostname: request.hostname,
    roots: request.roots.flatMap(({ pem, require_leaf_name: requireLeafName }) =>
      parseRoots(pem, { requireLeafName }),
    ),
    pins: request.pins.map(parsePin),
    observedLeaf: leaf === null ? undefined : parseDigest(leaf),
    acceptProducerAsserted: request.accept_producer_asserted,
    now: new Date(request.now),
    maxBundleAgeMs: request.max_bundle_age_ms,
    newestIssuedAt: newest === null ? undefined : new Date(newest),
  }
}
