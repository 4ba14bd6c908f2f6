import type { Certificate } from '../certificate.ts'
import { chainOf } from '../chain.ts'
import type { Question } from '../vector.ts'

type Extensions = Certificate['extensions']

/** A chain whose leaf has these extensions. */
export const leafSays = (...extensions: Extensions): Question => ({
  chain: chainOf('p256', { leaf: { extensions } }),
})

/** A chain whose intermediate has these extensions. */
export const intermediateSays = (...extensions: Extensions): Question => ({
  chain: chainOf('p256', { intermediate: { extensions } }),
})

/** A chain whose root has these extensions. */
export const rootSays = (...extensions: Extensions): Question => ({
  chain: chainOf('p256', { root: { extensions } }),
})
