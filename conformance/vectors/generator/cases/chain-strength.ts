import type { Vector } from '#contract/models'
import { issue } from '../certificate.ts'
import { chainOf, usualChain } from '../chain.ts'
import { type Holder, keyOf, shortCurve } from '../keys.ts'
import { type Question, refused } from '../vector.ts'

function intermediateWith(holder: Holder): Question {
  const { leaf, intermediate, root } = usualChain('rsa')
  const key = keyOf(holder, 'rsa')
  const certificates = [issue({ ...leaf, signer: key }), issue({ ...intermediate, key }), issue(root)]
  return { kind: 'rsa', chain: { key: leaf.key, certificates } }
}

function weakRoot(): Question {
  const { leaf, intermediate, root } = usualChain('rsa')
  const weak = keyOf('weak', 'rsa')
  const certificates = [
    issue(leaf),
    issue({ ...intermediate, signer: weak }),
    issue({ ...root, key: weak, signer: weak }),
  ]
  return { kind: 'rsa', chain: { key: leaf.key, certificates } }
}

/** How strong keys and signatures are. */
export const strengthVectors: readonly Vector[] = [
  ...refused('cert-chain', 'weak_key', 'VRFY-11', {
    'rsa-1024-leaf': [
      'A leaf with RSA of 1024 bits is refused',
      {
        kind: 'rsa',
        chain: chainOf('rsa', { leaf: { key: keyOf('weak', 'rsa') } }),
        isHopeless: true,
      },
    ],
    'rsa-1024-intermediate': ['An intermediate with RSA of 1024 bits is refused', intermediateWith('weak')],
    'rsa-1024-root': ['A root with RSA of 1024 bits is refused, though it is trusted', weakRoot()],
    'rsa-2047': ['RSA of 2047 bits is refused', intermediateWith('almost')],
    'short-curve': [
      'A curve of 224 bits is refused',
      { chain: chainOf('p256', { leaf: { spki: shortCurve() } }), isHopeless: true },
    ],
  }),
  ...refused('cert-chain', 'weak_signature', 'VRFY-11', {
    'sha-1-leaf': [
      'A leaf that is signed over SHA-1 is refused',
      { kind: 'rsa', chain: chainOf('rsa', { leaf: { hash: 'sha1' } }) },
    ],
    'sha-1-leaf-on-a-curve': [
      'A leaf that is signed over SHA-1 on a curve is refused',
      { chain: chainOf('p256', { leaf: { hash: 'sha1' } }) },
    ],
    'sha-1-intermediate': [
      'An intermediate that is signed over SHA-1 is refused',
      { kind: 'rsa', chain: chainOf('rsa', { intermediate: { hash: 'sha1' } }) },
    ],
    'sha-1-root': [
      'A root that is signed over SHA-1 is refused, though it is trusted',
      { kind: 'rsa', chain: chainOf('rsa', { root: { hash: 'sha1' } }) },
    ],
    'sha-1-within-pss': [
      'SHA-1 within RSA-PSS is SHA-1',
      { kind: 'rsa', chain: chainOf('rsa', { leaf: { hash: 'sha1', pss: true } }) },
    ],
    'md5-leaf': [
      'A leaf that is signed over MD5 is refused',
      { kind: 'rsa', chain: chainOf('rsa', { leaf: { hash: 'md5' } }) },
    ],
  }),
]
