import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts an upstream's key for the table: a random nonce, the ciphertext, its tag. The upstream's id is part of what
 * is authenticated, so that a stored key cannot be moved to another upstream, nor to another column.
 */
export function sealApiKey(apiKey: string, upstreamId: string, secret: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyFrom(secret), nonce).setAAD(boundTo(upstreamId))
  const sealed = Buffer.concat([cipher.update(apiKey, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()])
}

/** Decrypts it again. Throws when the secret is another one, or when anything was changed or moved. */
export function openApiKey(sealed: Buffer, upstreamId: string, secret: Buffer): string {
  const decipher = createDecipheriv(ALGORITHM, keyFrom(secret), sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(boundTo(upstreamId)).setAuthTag(sealed.subarray(-TAG_BYTES))
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}

/** The same under whichever of several secrets it was stored, the newest first. Throws as for the first when under none. */
export function openUnderAny(
  sealed: Buffer,
  upstreamId: string,
  [secret, ...previous]: readonly [Buffer, ...Buffer[]],
): string {
  try {
    return openApiKey(sealed, upstreamId, secret)
  } catch (error) {
    const [next, ...others] = previous
    if (next === undefined) throw error
    try {
      return openUnderAny(sealed, upstreamId, [next, ...others])
    } catch {
      throw error
    }
  }
}

/** Each use of the deployment's secret has a key of its own. */
function keyFrom(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'router: upstream api keys', KEY_BYTES))
}

function boundTo(upstreamId: string): Buffer {
  return Buffer.from(`upstreams.api_key:${upstreamId}`)
}
