import { TypeError as CelTypeError, Environment, ParseError } from '@marcbachmann/cel-js'
import type { Candidate, Policy } from '#attestation'
import { runWithin } from './deadline.ts'

/** A policy that cannot be meant; the message says where it goes wrong. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError'
}

/** Longest text of a policy (ours; the configuration's schema says the same). */
const MAX_CHARACTERS = 4_096

/** Largest policy that is read, in parts and in nesting (ours). */
const MAX_NODES = 1_000
const MAX_DEPTH = 64

/**
 * Longest that a policy may run (ours). A natural one takes a few milliseconds; loops within loops over a whole snapshot,
 * and expressions for `matches` that try every way to fail, take years: they come from whoever wrote a capsule.
 */
const DEADLINE_MS = 1_000

// Everything that was signed, and nothing else: no clock, no network, no state.
const environment = new Environment({ limits: { maxAstNodes: MAX_NODES, maxDepth: MAX_DEPTH } })
  .registerVariable('evidence', 'dyn')
  .registerVariable('hostname', 'string')
  .registerVariable('digest', 'string')
  .registerVariable('issuedAt', 'google.protobuf.Timestamp')

/**
 * Reads a condition in the Common Expression Language; throws `PolicyError`. Asking for something that the evidence
 * does not hold is an error when the policy is asked, and an error never allows (PRXY-23).
 */
export function compilePolicy(name: string, allow: string): Policy {
  const evaluate = parse(allow)
  return {
    name,
    allow,
    allows({ evidence, hostname, digest, issuedAt }: Candidate) {
      return runWithin(DEADLINE_MS, () => evaluate({ evidence, hostname, digest, issuedAt }))
    },
  }
}

function parse(allow: string): (context: object) => boolean {
  if (allow.length > MAX_CHARACTERS) throw new PolicyError(`It has more than ${MAX_CHARACTERS} characters.`)
  try {
    const parsed = environment.parse(allow)
    const { valid, type, error } = parsed.check()
    if (!valid) throw error
    // What comes out of the evidence may be anything, and is looked at when it is there.
    if (type === 'bool' || type === 'dyn') return parsed
    throw new PolicyError(`It gives ${type}, and must give true or false.`)
  } catch (thrown) {
    throw thrown instanceof ParseError || thrown instanceof CelTypeError ? mistakeOf(thrown) : thrown
  }
}

function mistakeOf({ summary, range }: ParseError | CelTypeError): PolicyError {
  return new PolicyError(range === undefined ? `${summary}.` : `${summary}, at character ${range.start + 1}.`)
}
